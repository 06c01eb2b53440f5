// SPDX-License-Identifier: GPL-3.0-or-later
// Tests which stages of the current plan run after a recovery and a re-cut, and which of their loads were measured.
#include "app/model/tracking/stage_loads.h"

#include "tests/support/test_program.h"

namespace stage_loads_test {

using namespace divisi;

namespace {

const TaskId the_task("gpt-1");

/// Adds a stage that ran as `incarnation` on a node.
void place(control::ClusterState& state, int stage, int incarnation, const char* node, bool retired = false) {
    control::InstanceView one;
    one.sid = Sid("gpt-1/stage-" + std::to_string(stage) + "/0");
    one.id = control::instance_of(one.sid, static_cast<Incarnation>(incarnation));
    one.task = the_task;
    one.stage = stage;
    one.node = NodeId(node);
    one.retired = retired;
    state.instances[one.id] = one;
}

client::LoadSample sample(std::int64_t step, double busy, Generation generation) {
    client::LoadSample sample;
    sample.load.step = step;
    sample.load.busy_share = busy;
    sample.load.wait_share = 1 - busy;
    sample.load.bytes_sent = 100 * step;
    sample.load.activations = generation == 1 ? 5000 : 700;
    sample.load.generation = generation;
    return sample;
}

}  // namespace

class StageLoadsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stages_have_the_nodes_of_their_newest_instances() {
        control::ClusterState state;
        state.tasks[the_task].id = the_task;
        place(state, 0, 9, "mic-1/old");
        place(state, 0, 10, "mic-1/new");  // "#10" is before "#9" in the map
        place(state, 1, 1, "mic-2/node");
        place(state, 2, 1, "mic-2/retired", true);
        QCOMPARE(model::stage_nodes(state, the_task), (std::vector<std::string>{"mic-1/new", "mic-2/node"}));
        QVERIFY(model::stage_nodes(state, TaskId("other-1")).empty());
    }

    void loads_of_other_plans_or_incarnations_do_not_count() {
        client::ClusterData data;
        control::TaskView& task = data.state.tasks[the_task];
        task.id = the_task;
        task.steps = 100;
        task.plan_since = 2;
        place(data.state, 0, 1, "mic-1/node");
        place(data.state, 0, 2, "mic-1/node");
        place(data.state, 1, 1, "mic-1/node", true);
        const auto loads = [&](const char* instance) -> auto& { return data.loads[InstanceId(instance)]; };
        loads("gpt-1/stage-0/0#1") = {sample(10, 0.1, 1)};
        loads("gpt-1/stage-0/0#2") = {sample(20, 0.1, 1), sample(30, 0.6, 2), sample(40, 0.8, 2)};
        loads("gpt-1/stage-1/0#1") = {sample(30, 0.5, 2)};
        const model::StageLoad load = model::stage_load(data, task, 0);
        QCOMPARE(load.samples, 2);
        QVERIFY(std::abs(load.busy_share - 0.7) < 1e-9 && std::abs(load.wait_share - 0.3) < 1e-9);
        QCOMPARE(load.sent, Bytes{100});
        QCOMPARE(load.memory, Bytes{700});
        QCOMPARE(model::stage_load(data, task, 1).samples, 0);
    }
};

DIVISI_TEST(StageLoadsTest)

}  // namespace stage_loads_test

#include "stage_loads_test.moc"
