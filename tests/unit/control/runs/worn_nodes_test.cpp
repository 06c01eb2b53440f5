// SPDX-License-Identifier: Apache-2.0
// Nodes where instances died too often, or could not be started: run_recovery.cpp.

#include <algorithm>

#include "tests/support/test_program.h"

#include "tests/unit/control/recovery_floor.h"

namespace worn_nodes_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::seconds;
using Floor = RecoveryFloor;

namespace {

const Error not_started{ErrorCode::failed, "its program could not be started", "", ""};

}  // namespace

class WornNodesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stage_stays_where_another_died_too_often();
    void bound_stage_stays_where_another_died_too_often();
    void rejoined_node_is_tried_again();
    void repeated_start_failures_end_the_task();
    void start_is_retried_while_another_node_is_away();
    void start_is_retried_before_the_task_has_begun();
    void start_retry_is_not_a_fault();
    void older_checkpoint_is_used_if_the_fourth_fault_is_the_nodes();
    void final_error_says_what_where_and_what_to_do();
};

/// The instance that died there moves. The other stage stays, since its only snapshot is there.
void WornNodesTest::stage_stays_where_another_died_too_often() {
    Floor floor;
    floor.train();
    (void)floor.lose("a");  // both continue on b
    floor.go_on(first_again, second_again);
    (void)floor.join("c");
    floor.commit(3, {NodeId("b")}, {NodeId("b"), NodeId("c")});
    floor.commit(5, {NodeId("b")}, {NodeId("b")});
    for (int i = 0; i < 3; ++i) (void)floor.die(second, "b");
    const Output moved = floor.die(second, "b");
    QVERIFY(!floor.task().ending);
    QCOMPARE(floor.node_of(second), NodeId("c"));
    QCOMPARE(floor.node_of(first), NodeId("b"));
    // The moving stage cannot use the newest checkpoint.
    QCOMPARE(logged<TaskRecovers>(moved).at(0).step, std::int64_t(3));
    QCOMPARE(floor.starts(moved, "b").size(), std::size_t(1));
    QVERIFY(!tells(moved, "waits for node"));
    floor.go_on(floor.newest(first), floor.newest(second));
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
    // If the stage itself dies as often there, no wait would help. It has already had one fault, on a.
    for (int i = 0; i < 2; ++i) (void)floor.die(first, "b");
    QVERIFY(!floor.task().ending);
    (void)floor.die(first, "b");
    QVERIFY(floor.task().ending.has_value());
    QVERIFY(floor.task().ending->error->what.find("no other node than b has what it needs") != std::string::npos);
}

void WornNodesTest::bound_stage_stays_where_another_died_too_often() {
    Floor floor;
    floor.train(data_on_its_node);
    floor.commit(3, {NodeId("a")}, {NodeId("a"), NodeId("b")});
    (void)floor.lose("b");  // both continue on a, which has the data
    QCOMPARE(floor.node_of(second), NodeId("a"));
    floor.go_on(first_again, second_again);
    (void)floor.join("c");
    floor.commit(5, {NodeId("a"), NodeId("c")}, {NodeId("a"), NodeId("c")});
    for (int i = 0; i < 3; ++i) (void)floor.die(second, "a");  // four faults with the one on b
    QCOMPARE(floor.node_of(second), NodeId("c"));
    QCOMPARE(floor.node_of(first), NodeId("a"));
    floor.go_on(floor.newest(first), floor.newest(second));
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
    QVERIFY(!floor.task().ending);
}

void WornNodesTest::rejoined_node_is_tried_again() {
    for (const bool again : {false, true}) {
        Floor floor;
        floor.train();
        (void)floor.join("c");
        floor.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
        for (int i = 0; i < 4; ++i) (void)floor.die(second, "b");
        QCOMPARE(floor.node_of(second), NodeId("c"));
        if (again) (void)floor.lose("b");
        if (again) (void)floor.join("b");
        const Output lost = floor.lose("c");
        QCOMPARE(floor.starts(lost, "b").size(), std::size_t(again ? 1 : 0));
        QCOMPARE(tells(lost, "the task waits for node c"), !again);
    }
}

/// The node is connected, so waiting for its return is pointless.
void WornNodesTest::repeated_start_failures_end_the_task() {
    const OrchestratorLimits limits;
    for (const auto answer : {task::FaultAnswer::recover, task::FaultAnswer::wait}) {
        Floor floor;
        floor.RunsFloor::train(0, answer, plain);
        (void)floor.join("c");
        floor.commit(5);
        const TimePoint begun = floor.now;
        Output told = floor.hear(floor.nodes["b"], InstanceFailed{second, not_started});
        for (int i = 0; i < 3; ++i) {
            QVERIFY(!floor.task().ending);
            QVERIFY(floor.starts(told, "b").empty());
            QVERIFY(tells(told, "the task waits for node b"));
            QVERIFY(tells(told, "it could not start it, and is asked again in 60 s"));
            QVERIFY(floor.task().phase_detail.find("could not start t-1/stage-1/0") != std::string::npos);
            QCOMPARE(floor.starts(floor.pass(limits.registration + seconds(1)), "b").size(), std::size_t(1));
            told = floor.hear(floor.nodes["b"], InstanceFailed{floor.newest(second), not_started});
        }
        QVERIFY(floor.task().ending.has_value());
        QVERIFY(floor.now - begun < limits.node_return / 2);
        QVERIFY(floor.task().ending->error->what.find(not_started.what) != std::string::npos);
        QCOMPARE(floor.task().ending->error->where, std::string("node b"));
    }
}

void WornNodesTest::start_is_retried_while_another_node_is_away() {
    const OrchestratorLimits limits;
    for (const auto answer : {task::FaultAnswer::recover, task::FaultAnswer::wait}) {
        Floor floor;
        floor.RunsFloor::train(0, answer, plain);
        floor.commit(5);
        (void)floor.hear(floor.nodes["a"], InstanceFailed{first, not_started});
        (void)floor.lose("b");
        QCOMPARE(floor.starts(floor.pass(limits.registration + seconds(1)), "a").size(), std::size_t(1));
        (void)floor.serve(floor.newest(first));
        QVERIFY(!floor.task().over());
        (void)floor.pass(limits.node_return);
        QCOMPARE(floor.task().over(), answer == task::FaultAnswer::recover);
        if (floor.task().over()) QCOMPARE(floor.task().error->where, std::string("node b"));
    }
}

void WornNodesTest::start_is_retried_before_the_task_has_begun() {
    const OrchestratorLimits limits;
    Floor floor;
    floor.begin(0, task::FaultAnswer::recover, data_on_its_node);
    QVERIFY(tells(floor.hear(floor.nodes["a"], InstanceFailed{first, not_started}), "is asked again in 60 s"));
    QCOMPARE(floor.starts(floor.pass(limits.registration + seconds(1)), "a").size(), std::size_t(1));
    floor.go_on(floor.newest(first), floor.newest(second));
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
}

/// Each refusal counts as one fault of the node, for the stage that was not started.
void WornNodesTest::start_retry_is_not_a_fault() {
    const OrchestratorLimits limits;
    Floor floor;
    floor.train();
    floor.commit(5);
    for (const auto& [stage, node] : {std::pair(first, "a"), {second, "b"}, {first, "a"}, {second, "b"}}) {
        (void)floor.hear(floor.nodes[node], InstanceFailed{floor.newest(stage), not_started});
        (void)floor.pass(limits.registration + seconds(1));
        floor.go_on(floor.newest(first), floor.newest(second));
        QCOMPARE(floor.task().phase, TaskPhase::exchange);
    }
    QVERIFY(!floor.task().ending);
}

void WornNodesTest::older_checkpoint_is_used_if_the_fourth_fault_is_the_nodes() {
    Floor floor;
    floor.train();
    floor.commit(2, {NodeId("a"), NodeId("b")});
    (void)floor.lose("a");  // both continue on b
    (void)floor.join("c");
    floor.commit(3, {NodeId("b"), NodeId("c")});
    floor.commit(5, {NodeId("b")});
    for (int i = 0; i < 2; ++i) (void)floor.die(first, "b");
    const Output lost = floor.lose("b");
    QVERIFY(!floor.task().ending);
    QCOMPARE(logged<TaskRecovers>(lost).at(0).step, std::int64_t(3));
    QCOMPARE(floor.node_of(first), NodeId("c"));
    QCOMPARE(floor.node_of(second), NodeId("b"));
}

void WornNodesTest::final_error_says_what_where_and_what_to_do() {
    for (const auto answer : {task::FaultAnswer::recover, task::FaultAnswer::wait}) {
        Floor floor;
        floor.RunsFloor::train(0, answer, plain);
        floor.commit(5);
        for (int i = 0; i < 3; ++i) (void)floor.die(second, "b");
        const Output last = floor.die(second, "b");
        QVERIFY(floor.task().ending.has_value());
        const Error error = floor.task().ending->error.value();
        const bool waits = answer == task::FaultAnswer::wait;
        QCOMPARE(error.what, std::string("it recovered 3 times within 10 minutes from faults of t-1/stage-1/0, and ") +
                                 (waits ? "it leaves no node, as its task file says"
                                        : "no other node than b has what it needs to go on") +
                                 "; the last: the instance's process was killed by signal 9");
        QCOMPARE(error.where, std::string("node b"));
        QVERIFY(error.next.starts_with("see the log of node b and mend it, or ") &&
                error.next.ends_with(", then retry the task"));
        // The instance's own entry has its own fault.
        const InstanceId id("t-1/stage-1/0#4");
        QVERIFY(std::ranges::any_of(logged<InstanceChanged>(last), [&](const InstanceChanged& changed) {
            return changed.instance == id && changed.state == InstanceState::failed &&
                   changed.detail.starts_with(id.value() + ": the instance's process was killed by signal 9");
        }));
    }
}

DIVISI_TEST(WornNodesTest)

}  // namespace worn_nodes_test

#include "worn_nodes_test.moc"
