// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/comparison/recut_cost.h"

#include "tests/support/test_program.h"
#include "tests/unit/app/sample_graphs.h"

namespace recut_cost_test {

using namespace divisi;
using model::Cuts;

namespace {

const TaskId chain_task("chain-1");

/// Returns three stages on three nodes. Each snapshot is on the node of its stage and on a neighbouring node.
control::ClusterState three_stages() {
    control::ClusterState state;
    const char* const nodes[] = {"mic-1/a", "mic-1/b", "mic-2/a"};
    control::TaskView& view = state.tasks[chain_task];
    view.id = chain_task;
    view.plan_since = 1;
    control::Checkpoint checkpoint;
    for (int stage = 0; stage < 3; ++stage) {
        const Sid sid("chain-1/stage-" + std::to_string(stage) + "/0");
        control::InstanceView one;
        one.id = InstanceId(sid.value());
        one.task = chain_task;
        one.sid = sid;
        one.node = NodeId(nodes[stage]);
        one.stage = stage;
        state.instances[one.id] = one;
        checkpoint.parts.push_back(
            {sid, stage, "hash", Bytes{100} << stage, {one.node, NodeId(nodes[(stage + 1) % 3])}});
    }
    view.checkpoints = {checkpoint};
    return state;
}

}  // namespace

class RecutCostTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void present_snapshots_are_not_transferred() {
        const auto chain = testing::chain_model(12);
        const control::ClusterState state = three_stages();
        const Cuts before{3, 7};
        const auto bring = [&](const Cuts& after) {
            return model::bytes_to_bring(*chain, state, state.tasks.at(chain_task), before, after);
        };
        QCOMPARE(bring(before), std::optional(Bytes{0}));
        // The first stage takes over two of the second stage's four operators. Its node does not have their snapshot.
        QCOMPARE(bring({5, 7}), std::optional(Bytes{100}));
        // The second stage takes over operators of the first. Its node has a copy of their snapshot.
        QCOMPARE(bring({2, 7}), std::optional(Bytes{0}));
        // The last stage is new and takes half of the third. Its node is not known yet.
        QCOMPARE(bring({3, 7, 9}), std::optional(Bytes{200}));
    }

    void cost_is_unknown_without_a_checkpoint_of_the_plan() {
        const auto chain = testing::chain_model(12);
        control::ClusterState state = three_stages();
        control::TaskView& view = state.tasks.at(chain_task);
        view.plan_since = 2;
        QVERIFY(!model::bytes_to_bring(*chain, state, view, {3, 7}, {5, 7}));
        view.checkpoints.clear();
        QVERIFY(!model::bytes_to_bring(*chain, state, view, {3, 7}, {5, 7}));
    }

    void expected_stall_is_that_of_the_last_recovery() {
        control::Incidents incidents;
        QVERIFY(!model::last_restart_ms(incidents, chain_task));
        // A task of one instance, which is killed after step 10 and resumes after 3 s.
        const InstanceId dead("chain-1/stage-0/0#1"), next("chain-1/stage-0/0#2");
        std::uint64_t number = 0;
        const auto tell = [&](int second, control::Event::Body body) {
            incidents.take({++number, TimePoint(std::chrono::seconds(second)), std::move(body)});
        };
        tell(1, control::TaskSubmitted{chain_task, "chain"});
        tell(1, control::InstancePlaced{chain_task, dead, Sid("chain-1/stage-0/0"), NodeId("mic-1/a"), 0, 1});
        tell(99, control::StepDone{chain_task, {10, 3.0F, 100, 160, 1}});
        tell(100, control::InstanceChanged{dead, control::InstanceState::failed, "killed by signal 9"});
        tell(101, control::TaskRecovers{chain_task, 2, 8, dead, "killed by signal 9"});
        tell(101, control::InstancePlaced{chain_task, next, Sid("chain-1/stage-0/0"), NodeId("mic-1/a"), 0, 2});
        tell(103, control::InstanceLoaded{next});
        QVERIFY(!model::last_restart_ms(incidents, chain_task));  // the task has not resumed yet
        tell(104, control::StepDone{chain_task, {9, 3.0F, 100, 160, 2}});
        QCOMPARE(model::last_restart_ms(incidents, chain_task), std::optional(3000.0));
        QVERIFY(!model::last_restart_ms(incidents, TaskId("other-1")));
    }
};

DIVISI_TEST(RecutCostTest)

}  // namespace recut_cost_test

#include "recut_cost_test.moc"
