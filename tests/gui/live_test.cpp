// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows of a cluster, told by a client that a test feeds.
#include <QAbstractButton>
#include <QProgressBar>
#include <QTableWidget>
#include <QTreeWidget>

#include "tests/gui/console.h"

using namespace divisi;

namespace {

/// A cluster that says what the test says.
class ScriptedClient : public client::Client {
public:
    client::Status state;
    client::ClusterData cluster;
    QString submitted_text;
    TaskId stopped;
    std::optional<client::Upload> on_its_way;
    bool upload_cancelled = false;

    const client::Status& status() const override { return state; }
    const client::ClusterData& data() const override { return cluster; }
    void submit(const QString& text, const QString&) override { submitted_text = text; }
    void stop(const TaskId& task) override { stopped = task; }
    const std::optional<client::Upload>& upload() const override { return on_its_way; }
    void cancel_upload() override { upload_cancelled = true; }
    void retry() override {}

    void tell(control::Event::Body body) {
        control::apply(cluster.state,
                       {cluster.state.sequence + 1, TimePoint(std::chrono::seconds(1)), std::move(body)});
        cluster.heard = std::chrono::steady_clock::now();
    }
    void connect_to(const QString& where) {
        state.connection = client::Connection::connected;
        state.where = where;
        Q_EMIT statusChanged();
    }
    /// Two nodes, one running task of two stages, ten steps and two validations done.
    void play() {
        tell(control::ClusterStarted{"lab", "0.1.0"});
        for (const char* node : {"mic-1/node-1", "mic-2/node-1"}) {
            control::NodeInfo info;
            info.id = NodeId(node);
            info.mic = MicId(std::string(node).substr(0, 5));
            info.host = "laptop";
            info.devices = {{"cpu", "x86_64", 4, Bytes{8} << 30}};
            tell(control::NodeJoined{info});
        }
        const TaskId task("gpt-text-1");
        tell(control::TaskSubmitted{task, "gpt-text", "", "", "", {}, "operator", 0});
        const Sid forward("gpt-text-1/stage-0/forward/0"), backward("gpt-text-1/stage-0/backward/0");
        const InstanceId instance("gpt-text-1/stage-0/0");
        tell(control::TaskPlanned{task,
                                  1,
                                  {"/a"},
                                  100,
                                  16,
                                  "zoo:gpt",
                                  "00",
                                  {{forward, "forward", instance, {}, control::UnitState::running},
                                   {backward, "backward", instance, {forward}, control::UnitState::waiting}}});
        tell(control::InstancePlaced{task, instance, Sid("gpt-text-1/stage-0/0"), NodeId("mic-1/node-1"), 0});
        tell(control::InstanceChanged{instance, control::InstanceState::running, ""});
        tell(control::PhaseChanged{task, control::TaskPhase::exchange, ""});
        for (int step = 1; step <= 10; ++step) {
            tell(control::StepDone{task, {step, 5.5F - 0.2F * static_cast<float>(step), 100, 160.0 + step, 1}});
            client::LoadSample sample{std::chrono::steady_clock::now(), {}};
            sample.load.instance = instance;
            sample.load.busy_share = 0.7;
            cluster.loads[instance].push_back(sample);
        }
        tell(control::Evaluated{task, {5, 4.7F, 0.25}});
        tell(control::Noted{Severity::warning, "node mic-2/node-1", "", "little memory is left"});
        Q_EMIT dataChanged();
    }
};

}  // namespace

class LiveTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_running_task_shows_its_progress_and_can_be_stopped() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.connect_to(QStringLiteral("lab"));
        cluster.play();
        auto* table = console.find<QTableWidget>("taskTable");
        QCOMPARE(table->rowCount(), 1);
        QCOMPARE(table->item(0, 0)->text(), QStringLiteral("gpt-text-1"));
        QCOMPARE(table->cellWidget(0, 2)->findChild<QProgressBar*>()->value(), 10);
        table->setCurrentCell(0, 0);
        QTest::mouseClick(console.find<QPushButton>("stopTask"), Qt::LeftButton);
        QCOMPARE(cluster.stopped, TaskId("gpt-text-1"));
    }

    void telemetry_draws_loss_and_load() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        auto* telemetry = console.find<charts::TelemetryView>("telemetry");
        console.show_dock("Telemetry");
        QCOMPARE(telemetry->loss().point_count(), 11);  // ten steps and one validation
        QCOMPARE(telemetry->busy().point_count(), 10);
        cluster.tell(control::StepDone{TaskId("gpt-text-1"), {11, 3.0F, 100, 170, 1}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(telemetry->loss().point_count(), 12);
        console.shot("telemetry");
    }

    void topology_shows_where_instances_are_and_forgets_what_is_gone() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        console.show_dock("Topology");
        cluster.play();
        auto* tree = console.find<QTreeWidget>("topologyTree");
        QCOMPARE(tree->topLevelItemCount(), 2);
        QTreeWidgetItem* node = tree->topLevelItem(0)->child(0);
        QCOMPARE(node->text(0), QStringLiteral("mic-1/node-1"));
        QCOMPARE(node->childCount(), 1);
        console.shot("topology");
        cluster.tell(control::TaskEnded{TaskId("gpt-text-1"), control::Outcome::succeeded, {}});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(node->childCount(), 0);
    }

    void the_task_graph_shows_live_states() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.play();
        console.find<QTableWidget>("taskTable")->setCurrentCell(0, 0);
        console.action("task_graph")->trigger();
        auto* view = console.find<graphview::UnitView>("unitView");
        QVERIFY(view->isVisible());
        QCOMPARE(console.window->units().units().size(), 2u);
        QCOMPARE(console.window->units().units()[0].state, control::UnitState::running);
        console.shot("task_graph");
    }

    void logs_follow_and_filter() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        console.show_dock("Logs");
        cluster.play();
        auto* table = console.find<QTableWidget>("logTable");
        QVERIFY(table->rowCount() >= 6);
        const int before = table->rowCount();
        cluster.tell(control::Noted{Severity::info, "orchestrator", "", "a needle"});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(table->rowCount(), before + 1);
    }

    void a_lost_connection_counts_down() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.state.connection = client::Connection::waiting;
        cluster.state.retry_at = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        Q_EMIT cluster.statusChanged();
        const auto* label = console.find<QAbstractButton>("connectionState");
        QVERIFY2(label->text().contains(QStringLiteral("30")), qPrintable(label->text()));
    }

    void run_submits_the_form_with_the_cuts() {
        ScriptedClient cluster;
        testing::Console console(&cluster);
        cluster.connect_to(QStringLiteral("lab"));
        QSignalSpy loaded(&console.window->loader(), &model::ModelLoader::loaded);
        console.window->open_model(console.window->draft().wanted_model());
        QVERIFY(loaded.wait(10000));
        QVERIFY(console.document().split_equally(2).ok());
        QVERIFY(console.action("run")->isEnabled());
        console.action("run")->trigger();
        QVERIFY(cluster.submitted_text.contains(QString::fromStdString(console.document().cut_names()[0])));
        Q_EMIT cluster.submitted(QStringLiteral("gpt-text-1"));
        cluster.play();  // the answer may come before the events
        QVERIFY(console.action("stop")->isEnabled());
        console.shot("run");
    }
};

QTEST_MAIN(LiveTest)
#include "live_test.moc"
