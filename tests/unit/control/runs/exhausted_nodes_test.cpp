// SPDX-License-Identifier: Apache-2.0
// Tests nodes where instances died too often, or could not be started: node_fitness.cpp and task_recovery.cpp.

#include <algorithm>

#include "tests/support/test_program.h"

#include "tests/unit/control/recovery_fixture.h"

namespace exhausted_nodes_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::seconds;
using Fixture = RecoveryFixture;

namespace {

const Error not_started{ErrorCode::failed, "its program could not be started", "", ""};

}  // namespace

class ExhaustedNodesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stage_stays_where_another_stage_died_too_often();
    void bound_stage_stays_where_another_stage_died_too_often();
    void rejoined_node_is_tried_again();
    void repeated_start_failures_end_the_task();
    void start_is_retried_while_another_node_is_away();
    void start_is_retried_before_the_task_has_begun();
    void start_retry_is_not_a_fault();
    void older_checkpoint_is_used_if_the_fourth_fault_loses_the_node();
    void final_error_says_what_where_and_what_to_do();
};

/// The second stage died too often on b and moves. The first stage stays on b, which alone has its newest snapshot.
void ExhaustedNodesTest::stage_stays_where_another_stage_died_too_often() {
    Fixture fixture;
    fixture.train();
    (void)fixture.lose("a");  // both continue on b
    fixture.go_on(first_again, second_again);
    (void)fixture.join("c");
    fixture.commit(3, {NodeId("b")}, {NodeId("b"), NodeId("c")});
    fixture.commit(5, {NodeId("b")}, {NodeId("b")});
    for (int i = 0; i < 3; ++i) (void)fixture.die(second, "b");
    const Output moved = fixture.die(second, "b");
    QVERIFY(!fixture.task().ending);
    QCOMPARE(fixture.node_of(second), NodeId("c"));
    QCOMPARE(fixture.node_of(first), NodeId("b"));
    // The second stage has no copy of the newest checkpoint on c.
    QCOMPARE(logged<TaskRecovers>(moved).at(0).step, std::int64_t(3));
    QCOMPARE(fixture.starts(moved, "b").size(), std::size_t(1));
    QVERIFY(!tells(moved, "waits for node"));
    fixture.go_on(fixture.newest(first), fixture.newest(second));
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    // If the stage itself dies as often on that node, waiting would not help. The stage has already had one fault on
    // node a.
    for (int i = 0; i < 2; ++i) (void)fixture.die(first, "b");
    QVERIFY(!fixture.task().ending);
    (void)fixture.die(first, "b");
    QVERIFY(fixture.task().ending.has_value());
    QVERIFY(fixture.task().ending->error->what.find("only node b has the state to continue from") != std::string::npos);
}

void ExhaustedNodesTest::bound_stage_stays_where_another_stage_died_too_often() {
    Fixture fixture;
    fixture.train(data_on_its_node);
    fixture.commit(3, {NodeId("a")}, {NodeId("a"), NodeId("b")});
    (void)fixture.lose("b");  // both continue on a, which has the data
    QCOMPARE(fixture.node_of(second), NodeId("a"));
    fixture.go_on(first_again, second_again);
    (void)fixture.join("c");
    fixture.commit(5, {NodeId("a"), NodeId("c")}, {NodeId("a"), NodeId("c")});
    for (int i = 0; i < 3; ++i) (void)fixture.die(second, "a");  // four faults, including the one on b
    QCOMPARE(fixture.node_of(second), NodeId("c"));
    QCOMPARE(fixture.node_of(first), NodeId("a"));
    fixture.go_on(fixture.newest(first), fixture.newest(second));
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    QVERIFY(!fixture.task().ending);
}

void ExhaustedNodesTest::rejoined_node_is_tried_again() {
    for (const bool again : {false, true}) {
        Fixture fixture;
        fixture.train();
        (void)fixture.join("c");
        fixture.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
        for (int i = 0; i < 4; ++i) (void)fixture.die(second, "b");
        QCOMPARE(fixture.node_of(second), NodeId("c"));
        if (again) (void)fixture.lose("b");
        if (again) (void)fixture.join("b");
        const Output lost = fixture.lose("c");
        QCOMPARE(fixture.starts(lost, "b").size(), std::size_t(again ? 1 : 0));
        QCOMPARE(tells(lost, "the task waits for node c"), !again);
    }
}

/// The node is connected, so waiting for its return is pointless.
void ExhaustedNodesTest::repeated_start_failures_end_the_task() {
    const OrchestratorLimits limits;
    for (const auto answer : {task::FaultAnswer::recover, task::FaultAnswer::wait}) {
        Fixture fixture;
        fixture.RunsFixture::train(0, answer, plain_task);
        (void)fixture.join("c");
        fixture.commit(5);
        const TimePoint begun = fixture.now;
        Output told = fixture.hear(fixture.nodes["b"], InstanceFailed{second, not_started});
        for (int i = 0; i < 3; ++i) {
            QVERIFY(!fixture.task().ending);
            QVERIFY(fixture.starts(told, "b").empty());
            QVERIFY(tells(told, "the task waits for node b"));
            QVERIFY(tells(told, "the node could not start the instance, and is asked again in 60 s"));
            QVERIFY(fixture.task().phase_detail.find("could not start t-1/stage-1/0") != std::string::npos);
            QCOMPARE(fixture.starts(fixture.pass(limits.registration + seconds(1)), "b").size(), std::size_t(1));
            told = fixture.hear(fixture.nodes["b"], InstanceFailed{fixture.newest(second), not_started});
        }
        QVERIFY(fixture.task().ending.has_value());
        QVERIFY(fixture.now - begun < limits.node_return / 2);
        QVERIFY(fixture.task().ending->error->what.find(not_started.what) != std::string::npos);
        QCOMPARE(fixture.task().ending->error->where, std::string("node b"));
    }
}

void ExhaustedNodesTest::start_is_retried_while_another_node_is_away() {
    const OrchestratorLimits limits;
    for (const auto answer : {task::FaultAnswer::recover, task::FaultAnswer::wait}) {
        Fixture fixture;
        fixture.RunsFixture::train(0, answer, plain_task);
        fixture.commit(5);
        (void)fixture.hear(fixture.nodes["a"], InstanceFailed{first, not_started});
        (void)fixture.lose("b");
        QCOMPARE(fixture.starts(fixture.pass(limits.registration + seconds(1)), "a").size(), std::size_t(1));
        (void)fixture.serve(fixture.newest(first));
        QVERIFY(!fixture.task().over());
        (void)fixture.pass(limits.node_return);
        QCOMPARE(fixture.task().over(), answer == task::FaultAnswer::recover);
        if (fixture.task().over()) QCOMPARE(fixture.task().error->where, std::string("node b"));
    }
}

void ExhaustedNodesTest::start_is_retried_before_the_task_has_begun() {
    const OrchestratorLimits limits;
    Fixture fixture;
    fixture.begin(0, task::FaultAnswer::recover, data_on_its_node);
    QVERIFY(tells(fixture.hear(fixture.nodes["a"], InstanceFailed{first, not_started}), "is asked again in 60 s"));
    QCOMPARE(fixture.starts(fixture.pass(limits.registration + seconds(1)), "a").size(), std::size_t(1));
    fixture.go_on(fixture.newest(first), fixture.newest(second));
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
}

/// Each refusal to start counts as one fault of the node for the stage that was not started.
void ExhaustedNodesTest::start_retry_is_not_a_fault() {
    const OrchestratorLimits limits;
    Fixture fixture;
    fixture.train();
    fixture.commit(5);
    for (const auto& [stage, node] : {std::pair(first, "a"), {second, "b"}, {first, "a"}, {second, "b"}}) {
        (void)fixture.hear(fixture.nodes[node], InstanceFailed{fixture.newest(stage), not_started});
        (void)fixture.pass(limits.registration + seconds(1));
        fixture.go_on(fixture.newest(first), fixture.newest(second));
        QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    }
    QVERIFY(!fixture.task().ending);
}

void ExhaustedNodesTest::older_checkpoint_is_used_if_the_fourth_fault_loses_the_node() {
    Fixture fixture;
    fixture.train();
    fixture.commit(2, {NodeId("a"), NodeId("b")});
    (void)fixture.lose("a");  // both continue on b
    (void)fixture.join("c");
    fixture.commit(3, {NodeId("b"), NodeId("c")});
    fixture.commit(5, {NodeId("b")});
    for (int i = 0; i < 2; ++i) (void)fixture.die(first, "b");
    const Output lost = fixture.lose("b");
    QVERIFY(!fixture.task().ending);
    QCOMPARE(logged<TaskRecovers>(lost).at(0).step, std::int64_t(3));
    QCOMPARE(fixture.node_of(first), NodeId("c"));
    QCOMPARE(fixture.node_of(second), NodeId("b"));
}

void ExhaustedNodesTest::final_error_says_what_where_and_what_to_do() {
    for (const auto answer : {task::FaultAnswer::recover, task::FaultAnswer::wait}) {
        Fixture fixture;
        fixture.RunsFixture::train(0, answer, plain_task);
        fixture.commit(5);
        for (int i = 0; i < 3; ++i) (void)fixture.die(second, "b");
        const Output last = fixture.die(second, "b");
        QVERIFY(fixture.task().ending.has_value());
        const Error error = fixture.task().ending->error.value();
        const bool waits = answer == task::FaultAnswer::wait;
        QCOMPARE(error.what, std::string("it recovered 3 times within 10 minutes from faults of t-1/stage-1/0, and ") +
                                 (waits ? "its task file does not let it leave a node"
                                        : "only node b has the state to continue from") +
                                 "; the last error: the instance's process was killed by signal 9");
        QCOMPARE(error.where, std::string("node b"));
        QVERIFY(error.next.starts_with("see the log of node b and repair it, or ") &&
                error.next.ends_with(", then retry the task"));
        // The event of the instance itself contains its fault.
        const InstanceId id("t-1/stage-1/0#4");
        QVERIFY(std::ranges::any_of(logged<InstanceChanged>(last), [&](const InstanceChanged& changed) {
            return changed.instance == id && changed.state == InstanceState::failed &&
                   changed.detail.starts_with(id.value() + ": the instance's process was killed by signal 9");
        }));
    }
}

DIVISI_TEST(ExhaustedNodesTest)

}  // namespace exhausted_nodes_test

#include "exhausted_nodes_test.moc"
