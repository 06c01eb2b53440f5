// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the console's display of a run on a real embedded cluster: curves, and predictions beside measurements.
#include <QTabBar>
#include <QTableView>
#include <QTableWidget>

#include "app/model/documents/stage_range.h"
#include "app/shell/docks/row_marks.h"
#include "tests/gui/console.h"
#include "tests/gui/live_console.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace run_test {

using namespace divisi;

namespace {

testing::TaskFile gpt_task() {
    return testing::TaskFile("two-stages")
        .gpt(4, 128, 4, 64)
        .set("data.samples", 256)
        .section("train", {{"steps", 60}, {"microbatches", 4}})
        .set("split.stages", 2);
}

testing::TaskFile heads_task() {
    return testing::TaskFile("heads")
        .section("model",
                 {{"zoo", "multitask"}, {"inputs", 16}, {"layers", 2}, {"width", 32}, {"heads", 2}, {"classes", 4}})
        .section("data", {{"samples", 256}, {"validation_share", 0.25}})
        .section("train", {{"steps", 30}, {"batch", 16}, {"microbatches", 4}, {"eval_every", 10}})
        .section("train.losses", {{"logits_0", "cross_entropy"}, {"logits_1", "mse"}})
        .set("split.strategy", "business");
}

/// A fixture with a console that runs tasks on an embedded cluster.
struct RunConsole : testing::LiveConsole {
    using LiveConsole::LiveConsole;
    /// Opens and submits a task file, and waits for its first step.
    bool run(const QString& file) { return submit(file) && trains(); }
    bool ended() {
        return QTest::qWaitFor([&] { return task()->over(); }, 120'000) &&
               task()->outcome == control::Outcome::succeeded;
    }
};

/// Returns whether a cell has a prediction, a measurement and a difference, such as "12.3 ms → 13.1 ms\n+6.5 %".
bool compares(const QTableWidgetItem* item) {
    static const QRegularExpression whole(QStringLiteral("^[^\u2192]*\\d.* \u2192 .*\\d.*\n[+\u2212]\\d.*%$"));
    return item && whole.match(item->text()).hasMatch();
}

}  // namespace

class RunTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { programs_ = std::make_unique<testing::EmbeddedCluster>(); }
    void cleanup() { programs_.reset(); }
    void every_stage_is_predicted_and_measured();
    void every_output_head_has_its_curve();
    void services_leases_and_receipts_match_divisictl();
    void link_cut_on_the_map_is_cut_in_the_mesh();

private:
    std::unique_ptr<testing::EmbeddedCluster> programs_;
};

void RunTest::every_stage_is_predicted_and_measured() {
    RunConsole live(*programs_);
    QVERIFY(live.run(programs_->write(QStringLiteral("gpt.toml"), gpt_task())));
    live.console.show_dock("Plans");
    QCOMPARE(live.console.find<QTabBar>("planPages")->currentIndex(), 1);
    auto* table = live.console.find<QTableWidget>("runTable");
    QVERIFY(QTest::qWaitFor([&] { return table->isVisible() && table->rowCount() == 2; }, 30'000));
    QVERIFY(live.ended());
    const auto complete = [&] {
        for (int stage = 0; stage < 2; ++stage)
            for (const int column : {1, 2, 4})
                if (!compares(table->item(stage, column))) return false;
        return true;
    };
    QVERIFY(table->columnWidth(4) < 300);  // a wide window does not spread the figures apart
    const bool all = QTest::qWaitFor(complete, 10'000);
    live.console.shot("run-dark");
    live.console.window->set_theme(shell::Theme::light);
    live.console.shot("run-light");
    live.console.window->set_language(QStringLiteral("zh_CN"));
    live.console.shot("run-chinese");
    live.console.window->set_language(QStringLiteral("en"));
    for (int row = 0; !all && row < table->rowCount(); ++row)
        for (int column = 0; column < table->columnCount(); ++column) qWarning() << table->item(row, column)->text();
    QVERIFY(all);
    // Stage 1 sends its activations to stage 2. The bytes are as many as predicted, except for the targets, which stage
    // 1 also reads.
    QVERIFY(compares(table->item(0, 3)));
    const QString title = live.console.find<QLabel>("runTitle")->text();
    QVERIFY2(title.contains(QRegularExpression(QStringLiteral("ms \u2192 .*ms, [+\u2212]\\d"))), qPrintable(title));
    // Selecting the instance of a stage marks the stage's row.
    const InstanceId second = model::instance_of_stage(live.cluster.data().state, live.task()->id, 1);
    const auto* marks = qobject_cast<const shell::RowMarks*>(table->itemDelegate());
    QVERIFY(marks && second != InstanceId());
    live.console.window->context().selection.select(model::Selected::of_instance(second, live.task()->id));
    QVERIFY(marks->marks(table->model()->index(1, 0)) && !marks->marks(table->model()->index(0, 0)));
    // Showing another model does not change the predictions for the run.
    const QString predicted = table->item(0, 1)->text().section(QChar(0x2192), 0, 0);
    live.console.show_chain();
    live.console.window->resize(1300, 900);
    QCoreApplication::processEvents();
    QCOMPARE(table->item(0, 1)->text().section(QChar(0x2192), 0, 0), predicted);
}

void RunTest::every_output_head_has_its_curve() {
    RunConsole live(*programs_);
    QVERIFY(live.run(programs_->write(QStringLiteral("heads.toml"), heads_task())));
    QVERIFY(live.ended());
    live.console.show_dock("Telemetry");
    const auto* telemetry = live.console.find<charts::TelemetryView>("telemetry");
    const QStringList names = telemetry->grid().loss().line_names();
    QCOMPARE(names.size(), 4);
    QVERIFY(names[0].startsWith(QStringLiteral("All heads")));
    QCOMPARE(names.mid(1, 2), (QStringList{QStringLiteral("logits_0"), QStringLiteral("logits_1")}));
    QCOMPARE(names[3], QStringLiteral("Validation"));
    QCOMPARE(telemetry->grid().loss().point_count(), 3 * 30 + 3);
    live.console.shot("heads-dark");
    live.console.window->set_theme(shell::Theme::light);
    live.console.shot("heads-light");
}

void RunTest::services_leases_and_receipts_match_divisictl() {
    RunConsole live(*programs_);
    live.console.show_dock("Services");
    QVERIFY(live.run(programs_->write(QStringLiteral("gpt.toml"), gpt_task())));
    live.console.show_dock("Services");
    const auto* services = live.console.find<QTableView>("serviceTable")->model();
    const auto of_kind = [&](const QString& kind) {
        QList<int> rows;
        for (int row = 0; row < services->rowCount(); ++row)
            if (services->index(row, 1).data().toString() == kind) rows.append(row);
        return rows;
    };
    QVERIFY(QTest::qWaitFor([&] { return of_kind(QStringLiteral("instance")).size() == 2; }, 10'000));
    const QList<int> stages = of_kind(QStringLiteral("instance"));
    QVERIFY(services->index(stages[0], 0).data().toString().endsWith(QStringLiteral("stage-0/0")));
    QTRY_VERIFY(services->index(stages[1], 3).data().toString().contains(QStringLiteral("active")));
    QVERIFY(services->index(stages[1], 4).data().toString().endsWith(QStringLiteral(" s ago")));
    QCOMPARE(of_kind(QStringLiteral("gateway")).size(), 2);  // the gateways of the embedded cluster
    QVERIFY(services->index(of_kind(QStringLiteral("router")).value(0), 3)
                .data()
                .toString()
                .contains(QStringLiteral("held")));
    live.console.show_dock("Leases");
    const auto* leases = live.console.find<QTableView>("leaseTable")->model();
    QVERIFY(QTest::qWaitFor([&] { return leases->rowCount() == 2; }, 5000));
    QVERIFY(live.ended());
    const auto* receipts = live.console.find<QTableView>("receiptTable")->model();
    QVERIFY(QTest::qWaitFor([&] { return receipts->rowCount() == 2 && leases->rowCount() == 0; }, 10'000));
    QTest::mouseClick(live.console.find<QToolButton>("verifyReceipts"), Qt::LeftButton);
    const auto* notice = live.console.find<QLabel>("ledgerNotice");
    QTRY_VERIFY2(notice->text().startsWith(u'\u2713'), qPrintable(notice->text()));
    const QString ours = programs_->folder() + QStringLiteral("/console.csv"),
                  theirs = programs_->folder() + QStringLiteral("/terminal.csv");
    live.console.find<panels::LedgerView>("ledger")->export_to(ours);
    QCOMPARE(programs_->run({QStringLiteral("receipts"), QStringLiteral("--csv"), theirs}).status, 0);
    QFile one(ours), other(theirs);
    QVERIFY(one.open(QIODevice::ReadOnly) && other.open(QIODevice::ReadOnly));
    QCOMPARE(one.readAll(), other.readAll());
}

void RunTest::link_cut_on_the_map_is_cut_in_the_mesh() {
    RunConsole live(*programs_);
    auto* cut = live.console.action("cut_link");
    QVERIFY(QTest::qWaitFor([&] { return cut->isVisible(); }, 20'000));
    live.console.action("topology")->trigger();
    auto* map = live.console.find<topology::MeshMap>("meshMap");
    const topology::Element link{topology::Element::Kind::link, "mg-1", "sr-1"};
    QVERIFY(QTest::qWaitFor([&] { return !map->place_of(link).isEmpty(); }, 20'000));
    map->select(link, true);
    cut->trigger();
    const auto says = [&](const char* text) { return map->state_text(link).contains(QString::fromLatin1(text)); };
    QVERIFY2(QTest::qWaitFor([&] { return says("down") && says("on purpose"); }, 10'000),
             qPrintable(map->state_text(link)));
    live.console.action("heal_link")->trigger();
    QVERIFY2(QTest::qWaitFor([&] { return says("usable") && !says("on purpose"); }, 20'000),
             qPrintable(map->state_text(link)));
}

DIVISI_WINDOW_TEST(RunTest)

}  // namespace run_test

#include "run_test.moc"
