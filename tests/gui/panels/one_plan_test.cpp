// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that "Optimize" and divisictl plan find the same cuts at the same price.
#include <QPushButton>
#include <QSpinBox>

#include "tests/gui/console.h"
#include "tests/gui/onnx_files.h"
#include "tests/support/test_program.h"
#include "tests/system/programs.h"

namespace one_plan_test {

using namespace divisi;
using divisi::tests::Finished;
using divisi::tests::Programs;

namespace {

testing::TaskFile gpt_task() {
    return testing::TaskFile("one")
        .gpt(2, 64, 2, 32)
        .set("train.microbatches", 4)
        .section("split", {{"stages", 1}, {"tabu_iterations", 40}});
}

}  // namespace

class OnePlanTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        qputenv("DIVISI_DATA", programs_.data().toUtf8());
        testing::write_lenet(programs_.folder() + QStringLiteral("/lenet.onnx"));
    }
    void optimize_matches_divisictl_plan_data() {
        QTest::addColumn<QByteArray>("task");
        QTest::addColumn<int>("stages");
        const auto row = [](const char* name, const testing::TaskFile& task, int stages) {
            QTest::newRow(name) << QByteArray::fromStdString(task.text()) << stages;
        };
        row("gpt in two", gpt_task(), 2);
        row("gpt in four", gpt_task(), 4);
        row("resnet18 in three", gpt_task().replace("model", {{"zoo", "resnet18"}}), 3);
        row("imported in three", gpt_task().replace("model", {{"onnx", "lenet.onnx"}}), 3);
    }
    void optimize_matches_divisictl_plan();
    void task_opens_with_the_cuts_of_a_search();

private:
    /// Returns the last line of divisictl plan with these settings.
    QJsonObject plan(const QString& file, const QStringList& settings) const {
        QStringList arguments{QStringLiteral("plan"), file, QStringLiteral("--json")};
        for (const QString& setting : settings) arguments << QStringLiteral("--set") << setting;
        const Finished finished = programs_.run(arguments);
        if (finished.status != 0) qFatal("%s", qPrintable(finished.errors));
        return finished.objects().last();
    }
    /// Returns the last operator of each stage except the last stage.
    static QStringList ends(const QJsonObject& plan) {
        QStringList names;
        for (const QJsonValue stage : plan[QStringLiteral("stages")].toArray())
            names << stage.toArray().last().toString();
        names.removeLast();
        return names;
    }
    static QStringList ends(const testing::Console& console) {
        QStringList names;
        for (const std::string& name : console.window->context().document.cut_names())
            names << QString::fromStdString(name);
        return names;
    }
    static bool priced(testing::Console& console) {
        return QTest::qWaitFor(
            [&] {
                const model::PriceBoard& board = console.window->context().prices;
                return !console.window->context().pool.busy() && !board.busy() && board.prices() &&
                       board.prices()->ok() && board.prices()->cuts == console.cuts();
            },
            20'000);
    }

    Programs programs_;
};

void OnePlanTest::optimize_matches_divisictl_plan() {
    QFETCH(const QByteArray, task);
    QFETCH(const int, stages);
    const QString file = programs_.write(QStringLiteral("one.toml"), task);
    testing::Console console;
    QSignalSpy loaded(&console.window->context().opener.loader(), &model::ModelLoader::loaded);
    console.window->open_path(file);
    QVERIFY(loaded.wait(20'000));
    console.find<QSpinBox>("stages")->setValue(stages);
    QTest::mouseClick(console.find<QPushButton>("optimize"), Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return console.document().undo_stack().count() == 1; }, 60'000));
    QVERIFY(priced(console));

    const QJsonObject line =
        plan(file, {QStringLiteral("split.method=tabu"), QStringLiteral("split.stages=%1").arg(stages)});
    QCOMPARE(ends(console), ends(line));
    QCOMPARE(console.window->context().prices.prices()->prediction.step_ms,
             line[QStringLiteral("predicted_step_ms")].toDouble());
    QCOMPARE(console.window->context().prices.fastest()->step_ms, line[QStringLiteral("predicted_step_ms")].toDouble());
}

void OnePlanTest::task_opens_with_the_cuts_of_a_search() {
    for (const char* method : {"optimal", "tabu"}) {
        const QString path = programs_.write(QStringLiteral("open.toml"),
                                             gpt_task().section("split", {{"stages", 3}, {"method", method}}));
        testing::Console console;
        console.window->open_path(path);
        QVERIFY(QTest::qWaitFor([&] { return console.cuts().size() == 2; }, 60'000));
        QVERIFY(priced(console));
        const QJsonObject line = plan(path, {});
        QCOMPARE(ends(console), ends(line));
        QCOMPARE(console.window->context().prices.prices()->prediction.step_ms,
                 line[QStringLiteral("predicted_step_ms")].toDouble());
    }
}

DIVISI_WINDOW_TEST(OnePlanTest)

}  // namespace one_plan_test

#include "one_plan_test.moc"
