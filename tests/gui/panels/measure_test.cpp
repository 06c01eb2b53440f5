// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the offer to measure unmeasured prices. A script of the test replaces the measuring program. The results that
// the program stores are tested with the program itself.
#include <QFile>
#include <QPushButton>
#include <QToolButton>

#include "app/client/embedded_host.h"
#include "app/model/estimates/priced_task.h"
#include "app/panels/cutting/measure_bar.h"
#include "app/panels/cutting/split_panel.h"
#include "app/shell/docks/workbench.h"
#include "backend/price/cost_model.h"
#include "backend/process/gpus.h"
#include "backend/process/processor.h"
#include "backend/store/profile_store.h"
#include "tests/gui/console.h"
#include "tests/gui/own_data_folder.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace measure_test {

using namespace divisi;

namespace {

testing::TaskFile mlp_task() { return testing::TaskFile().drop("train.microbatches"); }

/// Lets a node with one device join the cluster.
void join(testing::ScriptedClient& cluster, const char* name, control::Device device) {
    control::NodeInfo node;
    node.id = NodeId(name);
    node.mic = MicId("mic-1");
    node.host = name;
    node.devices = {std::move(device)};
    cluster.tell(control::NodeJoined{node});
}

control::Device cpu_of(std::string type) { return {"cpu", std::move(type), 4, Bytes{8} << 30}; }

void start_task(testing::ScriptedClient& cluster, const TaskId& task) {
    cluster.tell(control::TaskSubmitted{task, "other", mlp_task().text(), "/", "", {}, "operator", 0});
    cluster.tell(control::PhaseChanged{task, control::TaskPhase::exchange, ""});
}

/// A fixture with a window, an unmeasured task, and a measure bar of its own that starts `script`.
struct MeasureWindow {
    testing::OwnDataFolder data;
    std::unique_ptr<testing::Console> console;
    std::unique_ptr<panels::MeasureBar> bar;

    explicit MeasureWindow(const QByteArray& script, client::Client* cluster = nullptr,
                           const testing::TaskFile& task = mlp_task()) {
        console = std::make_unique<testing::Console>(cluster);
        const QString program = console->write("measure", ("#!/bin/sh\n" + script).constData());
        QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        console->window->open_path(console->write("task.toml", task));
        if (!priced()) qFatal("no prices");
        bar = std::make_unique<panels::MeasureBar>(console->window->context().draft, board(), cluster,
                                                   program.toStdString());
    }
    model::PriceBoard& board() { return console->window->context().prices; }
    bool priced() {
        return QTest::qWaitFor(
            [&] {
                return board().prices() && board().prices()->ok() && !board().busy() &&
                       !console->window->context().pool.busy();
            },
            20'000);
    }
    /// Stores prices as if this processor had been measured, with one thread, for the task on screen.
    bool measure_processor() {
        std::unique_ptr<model::PricedTask> task;
        const auto& draft = console->window->context().draft;
        if (!model::price_task({console->document().model(), draft.spec(), price::default_pool(), 0}, task).ok())
            return false;
        price::DeviceProfile measured = price::default_profile("cpu");
        measured.device_type = process::processor_model();
        const graph::Graph& graph = task->training->graph;
        const auto gradient = graph::needs_gradient(graph);
        for (std::size_t i = 0; i < graph.nodes.size(); ++i)
            measured.operators[price::operator_key(graph, static_cast<graph::NodeIndex>(i), gradient)] = {
                {1e-4, 0}, {1e-4, 0}, {1e-4, 0}};
        return (*store::ProfileStore::open(client::default_data_folder() / store::profile_file))
            ->save(measured, 1)
            .ok();
    }
    QPushButton& button(const char* name) { return *bar->findChild<QPushButton*>(QString::fromLatin1(name)); }
    QString message() { return bar->findChild<QLabel*>(QStringLiteral("measureMessage"))->text(); }
    void press(const char* name) { button(name).click(); }
};

}  // namespace

class MeasureTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void measurement_is_offered_for_unmeasured_prices() {
        MeasureWindow window("exit 0\n");
        auto* bar = window.console->find<QFrame>("measureBar");
        QTRY_VERIFY(bar->isVisible());
        window.console->shot("measure-offer");
    }

    void measurement_shows_progress_and_can_be_cancelled() {
        MeasureWindow window("echo '{\"event\":\"operator\"}'\necho '{\"event\":\"operator\"}'\nexec sleep 600\n");
        QVERIFY(!window.bar->isHidden());
        window.press("measureNow");
        QTRY_VERIFY(window.message().contains(QStringLiteral("2 done")));
        QVERIFY(window.button("measureNow").isHidden());
        window.press("measureCancel");
        QVERIFY(!window.button("measureNow").isHidden());
        QVERIFY(window.message().contains(QStringLiteral("estimates")));
    }

    void measurement_covers_the_task_on_screen() {
        MeasureWindow window("here=$(dirname \"$0\")\ncp \"$2\" \"$here/seen.toml\"\necho \"$@\" > \"$here/words\"\n");
        window.press("measureNow");
        QFile words(window.console->folder.filePath(QStringLiteral("words")));
        QTRY_VERIFY(words.size() > 0);
        QVERIFY(words.open(QIODevice::ReadOnly));
        const QByteArray said = words.readAll();
        QVERIFY2(said.startsWith("profile ") && said.contains("--device cpu") && said.contains(store::profile_file),
                 said.constData());
        QFile seen(window.console->folder.filePath(QStringLiteral("seen.toml")));
        QVERIFY(seen.open(QIODevice::ReadOnly));
        QVERIFY(seen.readAll().contains("zoo = \"mlp\""));
    }

    void failed_measurement_shows_the_reason() {
        MeasureWindow window("echo 'error: no room on the disk' >&2\nexit 1\n");
        window.press("measureNow");
        QTRY_VERIFY2(window.message().contains(QStringLiteral("no room on the disk")), qPrintable(window.message()));
        QVERIFY(!window.button("measureNow").isHidden());
    }

    void measurement_is_disabled_while_a_task_trains() {
        testing::ScriptedClient cluster;
        MeasureWindow window("exit 0\n", &cluster);
        QVERIFY(window.button("measureNow").isEnabled());
        start_task(cluster, TaskId("other-1"));
        Q_EMIT cluster.dataChanged();
        QVERIFY(!window.button("measureNow").isEnabled());
        QVERIFY(window.button("measureNow").toolTip().contains(QStringLiteral("running")));
    }

    void starting_a_task_ends_the_measurement() {
        testing::ScriptedClient cluster;
        MeasureWindow window("echo '{\"event\":\"operator\"}'\nexec sleep 600\n", &cluster);
        window.press("measureNow");
        QTRY_VERIFY(window.message().contains(QStringLiteral("1 done")));
        start_task(cluster, TaskId("other-1"));
        Q_EMIT cluster.dataChanged();
        QVERIFY2(window.message().contains(QStringLiteral("because a task started")), qPrintable(window.message()));
        QVERIFY(window.button("measureCancel").isHidden());
        QVERIFY(!window.button("measureNow").isEnabled());
        cluster.tell(control::TaskEnded{TaskId("other-1"), control::Outcome::succeeded, std::nullopt});
        Q_EMIT cluster.dataChanged();
        QVERIFY(window.button("measureNow").isEnabled());
        window.press("measureNow");
        QTRY_VERIFY2(window.message().contains(QStringLiteral("1 done")), qPrintable(window.message()));
    }

    void devices_are_measured_one_after_another() {
        testing::ScriptedClient cluster;
        join(cluster, "mic-1/node-1", cpu_of(process::processor_model()));
        join(cluster, "mic-1/node-2", {"cuda:0", process::device_type("cuda:0"), 1, Bytes{8} << 30});
        const testing::TaskFile task =
            mlp_task().set("split.stages", 2).set("place.stages", {"mic-1/node-1", "mic-1/node-2"});
        MeasureWindow window("echo \"$@\" > \"$(dirname \"$0\")/words\"\n", &cluster, task);
        model::GraphDocument& document = window.console->document();
        QTRY_COMPARE_WITH_TIMEOUT(document.cuts().size(), 1u, 20'000);
        const auto unmeasured = [&] {
            int count = 0;
            if (window.priced() && window.board().prices()->cuts == document.cuts())
                for (const price::PredictedStage& stage : window.board().prices()->prediction.stages)
                    if (stage.profiled_share < model::measured_well) ++count;
            return count;
        };
        QTRY_COMPARE_WITH_TIMEOUT(unmeasured(), 2, 20'000);
        QVERIFY(window.measure_processor());
        QTRY_COMPARE_WITH_TIMEOUT(unmeasured(), 1, 20'000);  // the store is checked every second
        window.press("measureNow");
        QFile words(window.console->folder.filePath(QStringLiteral("words")));
        QTRY_VERIFY(words.size() > 0);
        QVERIFY(words.open(QIODevice::ReadOnly));
        const QByteArray said = words.readAll();
        QVERIFY2(said.contains("--device cuda:0"), said.constData());
    }

    void measure_bar_says_why_a_device_cannot_be_measured() {
        testing::ScriptedClient cluster;
        join(cluster, "mic-1/node-1", cpu_of("a processor of another maker"));
        MeasureWindow window("exit 0\n", &cluster);
        QTRY_VERIFY2(window.message().contains(QStringLiteral("mic-1/node-1 cpu")), qPrintable(window.message()));
        QVERIFY(!window.bar->isHidden());
        QVERIFY(window.button("measureNow").isHidden());
        const QString tip = window.console->find<QLabel>("price")->toolTip();
        QVERIFY2(!tip.contains(QStringLiteral("divisictl")), qPrintable(tip));
    }

    void menu_action_offers_the_measurement_again() {
        MeasureWindow window("exit 0\n");
        auto* bar = window.console->find<QFrame>("measureBar");  // the bar of the window
        QTRY_VERIFY(bar->isVisible());
        bar->findChild<QToolButton*>()->click();
        QVERIFY(bar->isHidden());
        window.console->window->set_workspace(shell::Workspace::train);
        window.console->action("measure")->trigger();
        QCOMPARE(window.console->window->workbench().workspace(), shell::Workspace::split);
        QTRY_VERIFY(bar->isVisible());
    }

    void finished_run_reports_the_price_error() {
        testing::ScriptedClient cluster;
        join(cluster, "mic-1/node-1", cpu_of(process::processor_model()));
        MeasureWindow window("exit 0\n", &cluster);
        cluster.connect_to(QStringLiteral("lab"));
        const TaskId task("other-1");
        start_task(cluster, task);
        cluster.tell(control::TaskPlanned{task, 1, {}, 8, 8, "zoo:mlp", "00", {}});
        cluster.tell(control::InstancePlaced{task, InstanceId("other-1/stage-0/0"), Sid("other-1/stage-0/0"),
                                             NodeId("mic-1/node-1"), 0});
        for (int step = 1; step <= 8; ++step) cluster.tell(control::StepDone{task, {step, 1, 1e6, 1, 1}});
        window.console->window->context().follow(task);
        cluster.tell(control::TaskEnded{task, control::Outcome::succeeded, std::nullopt});
        Q_EMIT cluster.dataChanged();
        auto* message = window.console->find<QLabel>("messageText");
        QTRY_VERIFY_WITH_TIMEOUT(message->isVisible() && message->text().contains(QStringLiteral("too low")), 20'000);
        window.console->window->set_workspace(shell::Workspace::train);
        QTest::mouseClick(window.console->find<QPushButton>("messageOffer"), Qt::LeftButton);
        QCOMPARE(window.console->window->workbench().workspace(), shell::Workspace::split);
        QTRY_VERIFY(window.console->find<QFrame>("measureBar")->isVisible());
    }

    void dismissed_offer_is_not_repeated() {
        MeasureWindow window("exit 0\n");
        QVERIFY(!window.bar->isHidden());
        window.bar->findChild<QToolButton*>()->click();
        QVERIFY(window.bar->isHidden());
        window.console->document().add_cut(0);
        QVERIFY(QTest::qWaitFor([&] { return !window.board().busy(); }, 20'000));
        QVERIFY(window.bar->isHidden());
    }
};

DIVISI_WINDOW_TEST(MeasureTest)

}  // namespace measure_test

#include "measure_test.moc"
