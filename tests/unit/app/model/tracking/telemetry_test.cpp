// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/telemetry.h"
#include "backend/control/protocol/mesh_messages.h"

#include <cmath>

#include "app/charts/telemetry_lines.h"
#include "tests/gui/scripted_client.h"
#include "tests/support/test_program.h"

namespace telemetry_test {

using namespace divisi;
using model::Telemetry;
using testing::ScriptedClient;

namespace {

const TaskId gpt("gpt-1");

void step(ScriptedClient& cluster, std::int64_t number, float loss, Generation generation = 1) {
    cluster.tell(control::StepDone{gpt, {number, loss, 100, 160, generation}});
}

TimePoint now_of_this_machine() {
    return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::system_clock::now().time_since_epoch()));
}

/// Returns a mesh in which a gateway reports on two routers, which report nothing.
control::MeshState mesh_of_three() {
    control::MeshState mesh;
    for (const char* name : {"mg-1", "sr-1", "sr-2"}) {
        control::DeviceView device;
        device.id = static_cast<std::uint32_t>(mesh.devices.size() + 1);
        device.info.name = name;
        device.up = true;
        device.heard = now_of_this_machine();
        mesh.devices.push_back(device);
    }
    for (const std::uint32_t to : {2U, 3U}) {
        control::NeighbourReport report;
        report.id = to;
        report.quality.bytes_per_s = 1000;
        mesh.devices.front().neighbours.push_back(report);
    }
    return mesh;
}

void join(ScriptedClient& cluster, const NodeId& node) {
    control::NodeInfo info;
    info.id = node;
    cluster.tell(control::NodeJoined{info});
}

/// Returns the figures of a machine that uses 2 of 8 GiB.
control::MachineFigures machine(double cpu_share) { return {cpu_share, Bytes{8} << 30, Bytes{6} << 30}; }

}  // namespace

class TelemetryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_received_step_is_kept_even_if_the_state_thins_its_curve() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        for (int i = 1; i <= 5000; ++i) {
            step(cluster, i, static_cast<float>(i));
            if (i % 50 == 0) Q_EMIT cluster.dataChanged();
        }
        QVERIFY(cluster.cluster.state.tasks.at(gpt).history.size() < 2000);
        const auto loss = telemetry.store().find(Telemetry::of_task(gpt, "loss"));
        QVERIFY(loss);
        QCOMPARE(loss->size(), 5000);
        for (const int i : {1, 777, 5000}) QCOMPARE(*loss->nearest(i), (model::Sample{1.0 * i, 1.0 * i}));
    }

    void recovery_removes_the_repeated_steps_from_the_curve() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        for (int i = 1; i <= 10; ++i) step(cluster, i, 1);
        Q_EMIT cluster.dataChanged();
        cluster.tell(control::TaskRecovers{gpt, 2, 4, {}, "killed"});
        step(cluster, 5, 2, 2);
        step(cluster, 6, 2, 2);
        Q_EMIT cluster.dataChanged();
        Q_EMIT cluster.dataChanged();  // without a change
        const auto loss = telemetry.store().find(Telemetry::of_task(gpt, "loss"));
        QCOMPARE(loss->range(0, 100), (std::vector<model::Sample>{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 2}, {6, 2}}));
    }

    void accuracy_curve_skips_evaluations_without_accuracy() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        for (int i = 1; i <= 8; ++i) step(cluster, i, 1);
        cluster.tell(control::Evaluated{gpt, {2, 3, std::nullopt}});
        cluster.tell(control::Evaluated{gpt, {4, 2, 0.5}});
        cluster.tell(control::Evaluated{gpt, {8, 1, 0.75}});
        Q_EMIT cluster.dataChanged();
        const auto accuracy = telemetry.store().find(Telemetry::of_task(gpt, "accuracy"));
        QVERIFY(accuracy);
        QCOMPARE(accuracy->range(0, 100), (std::vector<model::Sample>{{4, 0.5}, {8, 0.75}}));
        // Repeated steps have no accuracy until they are validated again.
        cluster.tell(control::TaskRecovers{gpt, 2, 4, {}, "killed"});
        step(cluster, 5, 2, 2);
        Q_EMIT cluster.dataChanged();
        control::EvalRecord again{8, 1, 0.25};
        again.generation = 2;
        cluster.tell(control::Evaluated{gpt, again});
        Q_EMIT cluster.dataChanged();
        QCOMPARE(accuracy->range(0, 100), (std::vector<model::Sample>{{4, 0.5}, {8, 0.25}}));
        // On screen, accuracy is shown in percent, as dots.
        const charts::TelemetryLines source(&cluster, telemetry);
        const auto lines = source.lines(charts::Chart::accuracy, cluster.cluster.state.tasks.at(gpt), {}, 0);
        QCOMPARE(lines.size(), std::size_t{1});
        QCOMPARE(lines.front().last(), std::optional(QPointF(8, 25)));
        QVERIFY(lines.front().markers);
    }

    void step_has_the_time_of_its_arrival() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        step(cluster, 1, 1);
        Q_EMIT cluster.dataChanged();
        step(cluster, 2, 1);
        Q_EMIT cluster.dataChanged();
        const auto first = telemetry.seconds_of(gpt, 1), second = telemetry.seconds_of(gpt, 2);
        QVERIFY(first && second && *first <= *second);
        QVERIFY(!telemetry.seconds_of(gpt, 0.2));
        QCOMPARE(*telemetry.step_at(gpt, *second + 1), 2.0);
        QVERIFY(!telemetry.step_at(gpt, *first - 1));
        // The times of steps done before the console connected are unknown.
        const Telemetry late(&cluster);
        QVERIFY(!late.seconds_of(gpt, 2));
    }

    void step_has_the_time_of_its_event() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        client::Mail mail;  // three steps at the same time, as after a stall
        for (int i = 1; i <= 3; ++i)
            mail.events.push_back({cluster.cluster.state.sequence + static_cast<std::uint64_t>(i),
                                   TimePoint(std::chrono::seconds(100 * i)),
                                   control::StepDone{gpt, {i, 1, 100, 160, 1}}});
        client::take(cluster.cluster, mail, std::chrono::steady_clock::now());
        Q_EMIT cluster.dataChanged();
        for (int i = 1; i <= 3; ++i) QCOMPARE(telemetry.seconds_of(gpt, i), std::optional(100.0 * i));
        QCOMPARE(telemetry.step_at(gpt, 250), std::optional(2.0));
    }

    void each_load_report_counts_once_and_rates_are_differences() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        const InstanceId instance("gpt-1/stage-0/0");
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        cluster.tell(control::InstancePlaced{gpt, instance, Sid("gpt-1/stage-0/0"), NodeId("mic-1/node-1"), 0});
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 4; ++i) {
            control::InstanceLoad load;
            load.instance = instance;
            load.busy_share = 0.5;
            load.bytes_sent = 1000 * i;
            cluster.report(load, start + std::chrono::milliseconds((500 + 1) * i));
            Q_EMIT cluster.dataChanged();
            for (client::LoadSample& sample : cluster.cluster.loads.at(instance))  // as a replay does
                sample.time += std::chrono::milliseconds(1);
            Q_EMIT cluster.dataChanged();
        }
        const auto busy = telemetry.store().find(Telemetry::of_instance(instance, "busy"));
        const auto sent = telemetry.store().find(Telemetry::of_instance(instance, "sent"));
        QCOMPARE(busy->size(), 4);
        QCOMPARE(sent->size(), 3);
        for (int i = 0; i < 3; ++i) QVERIFY(std::abs(sent->at(i)->y - 2000) < 1e-3);
        cluster.cluster.loads.clear();  // as when the instance's task is removed
        Q_EMIT cluster.dataChanged();
        QVERIFY(!telemetry.store().find(Telemetry::of_instance(instance, "busy")));
    }

    /// Three measurements a second apart arrive at the same time.
    void samples_have_the_time_of_their_measurement() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        const InstanceId instance("gpt-1/stage-0/0");
        const NodeId node("mic-1/node-1");
        join(cluster, node);
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        cluster.tell(control::InstancePlaced{gpt, instance, Sid("gpt-1/stage-0/0"), node, 0});
        const TimePoint begun = now_of_this_machine() - std::chrono::seconds(10);
        for (int i = 0; i < 3; ++i) {
            control::InstanceLoad load;
            load.instance = instance;
            load.bytes_sent = 500 * i;
            load.measured = begun + std::chrono::seconds(i);
            cluster.report(load);
            control::NodeMachine told{node, machine(0.5)};
            told.machine.measured = load.measured;
            cluster.report(told);
        }
        Q_EMIT cluster.dataChanged();
        const double first = std::chrono::duration<double>(begun.time_since_epoch()).count();
        for (const std::string& name : {Telemetry::of_instance(instance, "busy"), Telemetry::of_node(node, "cpu")}) {
            const auto series = telemetry.store().find(name);
            QVERIFY(series && series->size() == 3);
            for (int i = 0; i < 3; ++i) QVERIFY(std::abs(series->at(i)->x - first - i) < 1e-3);
        }
        const auto sent = telemetry.store().find(Telemetry::of_instance(instance, "sent"));
        QVERIFY(sent && sent->size() == 2);
        for (int i = 0; i < 2; ++i) QVERIFY(std::abs(sent->at(i)->y - 500) < 1e-3);
    }

    void nodes_have_curves_of_their_machine_figures() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        const NodeId warm("m/a"), silent("m/b");
        join(cluster, warm);
        join(cluster, silent);
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 4; ++i) {
            control::NodeMachine told{warm, machine(0.25 * i)};
            if (i > 0) told.machine.temperature_c = 60 + i;  // temperature readings start later
            cluster.report(told, start + std::chrono::seconds(2) * i);
            cluster.report(control::NodeMachine{silent, {}}, start + std::chrono::seconds(2) * i);
            Q_EMIT cluster.dataChanged();
            Q_EMIT cluster.dataChanged();  // without a change
        }
        const auto find = [&](const NodeId& node, const char* figure) {
            return telemetry.store().find(Telemetry::of_node(node, figure));
        };
        QCOMPARE(find(warm, "cpu")->size(), 4);
        QCOMPARE(find(warm, "cpu")->at(3)->y, 0.75);
        QCOMPARE(find(warm, "used")->at(0)->y, double(Bytes{2} << 30));
        QCOMPARE(find(warm, "temperature")->size(), 3);
        QVERIFY(std::abs(find(warm, "temperature")->at(2)->x - find(warm, "temperature")->at(1)->x - 2) < 0.5);
        QVERIFY(!find(warm, "power"));
        QVERIFY(telemetry.store().names(Telemetry::of_node(silent, "")).empty());
        const charts::TelemetryLines source(&cluster, telemetry);
        const auto lines = [&](charts::Chart chart) {
            return source.lines(chart, cluster.cluster.state.tasks.at(gpt), {}, 0);
        };
        QCOMPARE(lines(charts::Chart::node_cpu).size(), std::size_t{1});
        QCOMPARE(lines(charts::Chart::node_cpu)[0].name, QStringLiteral("m/a"));
        QCOMPARE(lines(charts::Chart::node_cpu)[0].last()->y(), 75.0);
        QCOMPARE(lines(charts::Chart::node_memory)[0].last()->y(), 2.0);
        QCOMPARE(lines(charts::Chart::node_temperature)[0].last()->y(), 63.0);
        QVERIFY(lines(charts::Chart::node_temperature)[0].reach > 2);  // larger distances are gaps
        QVERIFY(lines(charts::Chart::node_power).empty());
        cluster.cluster.nodes.at(warm) = {{start, machine(0.5), 1}};  // as when a replay moves back
        Q_EMIT cluster.dataChanged();
        QCOMPARE(find(warm, "cpu")->size(), 1);
        QVERIFY(!find(warm, "temperature"));
        cluster.cluster.nodes.clear();  // removed from the state
        Q_EMIT cluster.dataChanged();
        QVERIFY(telemetry.store().names(Telemetry::of_node(warm, "")).empty());
    }

    void curves_of_the_task_and_the_selected_node_are_drawn_if_there_are_many() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        for (int i = 10; i < 30; ++i) {
            const NodeId node("m/" + std::to_string(i));
            join(cluster, node);
            cluster.report(control::NodeMachine{node, machine(0.5)});
        }
        cluster.tell(
            control::InstancePlaced{gpt, InstanceId("gpt-1/stage-0/0"), Sid("gpt-1/stage-0/0"), NodeId("m/25"), 0});
        Q_EMIT cluster.dataChanged();
        const charts::TelemetryLines source(&cluster, telemetry);
        charts::TelemetryLines::Chosen chosen;
        chosen.other = model::Selected::of_node(NodeId("m/29"));
        const auto lines = source.lines(charts::Chart::node_cpu, cluster.cluster.state.tasks.at(gpt), {}, 0, chosen);
        QCOMPARE(lines.size(), std::size_t{8});
        QCOMPARE(lines[0].name, QStringLiteral("m/29"));
        QVERIFY(lines[0].chosen && !lines[1].chosen);
        QCOMPARE(lines[1].name, QStringLiteral("m/25"));
        QCOMPARE(lines[2].name, QStringLiteral("m/10"));
    }

    void links_are_forgotten_with_their_device() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        control::MeshState mesh = mesh_of_three();
        cluster.answer(control::QueryMesh{}, mesh);
        QCOMPARE(telemetry.links().size(), std::size_t{2});
        mesh.devices[2].up = false;  // still in the mesh
        cluster.answer(control::QueryMesh{}, mesh);
        QCOMPARE(telemetry.links().size(), std::size_t{2});
        mesh.devices.pop_back();
        cluster.answer(control::QueryMesh{}, mesh);
        QCOMPARE(telemetry.links().size(), std::size_t{1});
        QVERIFY(telemetry.store().find(Telemetry::of_link("mg-1", "sr-1", "rate")));
        QVERIFY(telemetry.store().names(Telemetry::of_link("mg-1", "sr-2", "")).empty());
    }

    void link_curves_start_at_the_first_report_of_any_device() {
        ScriptedClient cluster;
        const Telemetry telemetry(&cluster);
        const charts::TelemetryLines source(&cluster, telemetry);
        cluster.tell(control::TaskSubmitted{gpt, "gpt", "", "", "", {}, "operator", 0});
        QCOMPARE(source.origin(gpt), telemetry.began());
        QVERIFY(telemetry.began() > 1e9);  // seconds since the Unix epoch
        control::MeshState mesh = mesh_of_three();
        cluster.answer(control::QueryMesh{}, mesh);
        mesh.devices.front().heard += std::chrono::seconds(1);
        cluster.answer(control::QueryMesh{}, mesh);
        const control::TaskView& task = cluster.cluster.state.tasks.at(gpt);
        const auto lines = source.lines(charts::Chart::link_rate, task, {}, source.origin(gpt));
        QCOMPARE(lines.size(), std::size_t{2});
        const auto last = lines.front().last();
        QVERIFY(last && last->x() >= 0 && last->x() < 60);
    }
};

DIVISI_WINDOW_TEST(TelemetryTest)

}  // namespace telemetry_test

#include "telemetry_test.moc"
