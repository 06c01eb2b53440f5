// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/task_recovery.h"

#include <algorithm>

#include "tests/support/test_program.h"
#include "tests/unit/control/task_part_fixture.h"

namespace task_recovery_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

const InstanceId idle("t-1/standby/0#1");

/// A fake of Standbys.
struct FakePool final : StandbyPool {
    std::vector<InstanceId> taken;
    std::vector<NodeId> prepared;
    bool in_force = false, given_up = false;

    InstanceId take(const InstanceId& standby, const Sid&) override {
        taken.push_back(standby);
        return standby;
    }
    InstanceId prepare(const TaskId&, const NodeId& node, const NextPlan&, const std::vector<InstanceId>&) override {
        prepared.push_back(node);
        return idle;
    }
    void plan_in_force(const TaskId&) override { in_force = true; }
    void give_up_plan(const TaskId&) override { given_up = true; }
};

/// A fixture with a task that trains in two stages, on a and b.
struct RecoveryPartFixture : PartFixture {
    FakePool pool;
    TaskRecovery recovery{context, leases, fitness, pool, control};
    Error last;  ///< error of the last fault, as the recovery left it

    explicit RecoveryPartFixture(task::FaultAnswer answer = task::FaultAnswer::recover) {
        context.follow([this](const Event& event) {
            leases.follow(event);
            fitness.follow(event);
            recovery.follow(event);
        });
        train({{first, 0}, {second, 1}}, synthetic_text, answer);
        recovery.open(the_task);
    }
    /// Commits a checkpoint whose snapshots are on the nodes of their stages.
    void commit(std::int64_t step) {
        context.append(CheckpointCommitted{the_task,
                                           {1,
                                            step,
                                            now,
                                            {{sid_of(first), 0, "of first", 10, {NodeId("a")}},
                                             {sid_of(second), 1, "of second", 10, {NodeId("b")}}}}});
        clear();
    }
    bool fault(const InstanceId& culprit, ErrorCode code = ErrorCode::unavailable, Fault how = Fault::exited) {
        last = error(code);
        return recovery.handle_fault(the_task, culprit, last, how);
    }
};

}  // namespace

/// Tests recovery without the other classes that run tasks.
class TaskRecoveryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void task_returns_to_its_checkpoint_after_a_fault();
    void error_that_would_repeat_causes_no_recovery();
    void task_without_recovery_is_not_recovered();
    void node_is_unfit_for_a_stage_after_its_retry_budget();
    void standby_takes_over_from_a_dead_process();
    void wait_for_a_node_ends_with_an_error();
    void node_that_refused_a_stage_is_fit_after_it_rejoins();
    void recut_keeps_processes_and_requests_standbys_for_others();
    void recut_begins_a_generation_of_the_next_plan();
};

void TaskRecoveryTest::task_returns_to_its_checkpoint_after_a_fault() {
    RecoveryPartFixture fixture;
    fixture.commit(5);
    QVERIFY(fixture.fault(second));
    QCOMPARE(fixture.logged<TaskRecovers>().at(0).step, std::int64_t{5});
    QCOMPARE(fixture.task().generation, Generation{2});
    QCOMPARE(fixture.control.calls,
             (std::vector<std::string>{"begin_generation", "generation_placed", "update_waits"}));
    QCOMPARE(fixture.control.placed.size(), std::size_t{2});
    QCOMPARE(fixture.control.placed[0].sid, sid_of(first));
    QCOMPARE(fixture.control.placed[0].from, first);  // the first instance keeps its process
    QCOMPARE(fixture.control.placed[1].sid, sid_of(second));
    QCOMPARE(fixture.control.placed[1].node, NodeId("b"));
    QVERIFY(fixture.control.placed[1].from.value().empty());
}

void TaskRecoveryTest::error_that_would_repeat_causes_no_recovery() {
    RecoveryPartFixture fixture;
    QVERIFY(!fixture.fault(second, ErrorCode::failed, Fault::said));
    QVERIFY(fixture.control.placed.empty());
    const std::string text = fixture.logged<Noted>().at(0).text;
    QVERIFY2(text.find("answer: the task ends") != std::string::npos, text.c_str());
}

void TaskRecoveryTest::task_without_recovery_is_not_recovered() {
    RecoveryPartFixture fails(task::FaultAnswer::fail);
    QVERIFY(!fails.fault(second));
    RecoveryPartFixture abandoned;
    abandoned.control.left = true;
    QVERIFY(!abandoned.fault(second));
    QVERIFY(abandoned.control.placed.empty());
}

void TaskRecoveryTest::node_is_unfit_for_a_stage_after_its_retry_budget() {
    RecoveryPartFixture fixture(task::FaultAnswer::wait);
    Incarnation number = 1;
    for (; number <= recoveries_in_place.most; ++number) QVERIFY(fixture.fault(instance_of(sid_of(second), number)));
    QVERIFY(!fixture.fitness.is_unfit(the_task, NodeId("b")));
    QVERIFY(!fixture.fault(instance_of(sid_of(second), number)));
    QVERIFY2(fixture.last.what.find("does not let it leave a node") != std::string::npos, fixture.last.what.c_str());
    QCOMPARE(fixture.fitness.unfit_nodes(the_task), std::set<NodeId>{NodeId("b")});
    QVERIFY(fixture.fitness.exhaustion_error(the_task, 1, NodeId("b")));
    QVERIFY(!fixture.fitness.exhaustion_error(the_task, 0, NodeId("b")));
}

void TaskRecoveryTest::standby_takes_over_from_a_dead_process() {
    RecoveryPartFixture fixture;
    fixture.run(idle, standby_stage, NodeId("b"), InstanceState::standby);
    fixture.commit(5);
    QVERIFY(fixture.fault(second));
    QCOMPARE(fixture.pool.taken, std::vector<InstanceId>{idle});
    QCOMPARE(fixture.control.placed.at(1).from, idle);
}

void TaskRecoveryTest::wait_for_a_node_ends_with_an_error() {
    RecoveryPartFixture fixture;
    fixture.commit(5);
    fixture.lose(fixture.b, "b");  // only b has the snapshot of the second stage
    QVERIFY(fixture.fault(second));
    QCOMPARE(fixture.control.placed.at(1).node, NodeId("b"));
    const Result<bool> extended = fixture.recovery.extend_wait(the_task);
    QVERIFY(extended && *extended);
    QCOMPARE(fixture.control.calls.back(), std::string("extend_registration"));
    fixture.pass(OrchestratorLimits{}.node_return);
    const Result<bool> vain = fixture.recovery.extend_wait(the_task);
    QVERIFY(!vain);
    QCOMPARE(vain.error().where, std::string("node b"));
}

void TaskRecoveryTest::node_that_refused_a_stage_is_fit_after_it_rejoins() {
    RecoveryPartFixture fixture;
    fixture.recovery.node_refused(the_task, NodeId("b"));
    QVERIFY(!fixture.fitness.can_play(the_task, NodeId("b"), sid_of(second)));
    fixture.recovery.node_joined(NodeId("b"));
    QVERIFY(fixture.fitness.can_play(the_task, NodeId("b"), sid_of(second)));
}

void TaskRecoveryTest::recut_keeps_processes_and_requests_standbys_for_others() {
    RecoveryPartFixture fixture;
    NextPlan next;
    next.origins = {{NodeId("a"), {0}}, {NodeId("a"), {1}}};
    QCOMPARE(fixture.recovery.prepare_recut(the_task, next), (std::vector<InstanceId>{first, idle}));
    QCOMPARE(fixture.pool.prepared, std::vector<NodeId>{NodeId("a")});
    fixture.recovery.give_up_recut(the_task);
    QVERIFY(fixture.pool.given_up);
    QCOMPARE(fixture.control.calls, std::vector<std::string>{"resume_steps"});
}

void TaskRecoveryTest::recut_begins_a_generation_of_the_next_plan() {
    RecoveryPartFixture fixture;
    fixture.commit(5);
    NextPlan next;
    next.plan.plan_hash = "next";
    next.plan.stages = 1;
    next.origins = {{NodeId("a"), {0, 1}}};
    next.step = 5;
    next.processes = {first};
    fixture.recovery.recut(the_task, next);
    QCOMPARE(fixture.task().plan_hash, std::string("next"));
    QCOMPARE(fixture.control.placed.size(), std::size_t{1});
    QCOMPARE(fixture.control.placed[0].generation, Generation{2});
    QCOMPARE(fixture.control.placed[0].from, first);
    QVERIFY(fixture.pool.in_force);
    QCOMPARE(fixture.control.calls, (std::vector<std::string>{"begin_generation", "generation_placed"}));
}

DIVISI_TEST(TaskRecoveryTest)

}  // namespace task_recovery_test

#include "task_recovery_test.moc"
