// SPDX-License-Identifier: Apache-2.0
// Tests faults that a task survives, with all classes that run tasks.

#include <algorithm>

#include "tests/support/test_program.h"

#include "tests/unit/control/recovery_fixture.h"

namespace run_recovery_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::hours, std::chrono::seconds;
using Fixture = RecoveryFixture;

class RunRecoveryTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void all_stages_restore_the_last_checkpoint();
    void without_a_checkpoint_training_restarts();
    void surviving_process_is_reused();
    void reports_of_an_older_generation_are_ignored();
    void fault_during_a_recovery_starts_another();
    void stage_moves_to_a_node_with_its_snapshot();
    void sole_node_with_the_snapshot_is_waited_for();
    void without_a_checkpoint_a_stage_restarts_elsewhere();
    void files_of_a_node_bind_the_stage_to_it();
    void task_ends_if_its_node_never_returns();
    void node_that_is_ending_gets_no_new_instances();
    void damaged_snapshot_is_fetched_from_another_node();
    void node_with_a_copy_is_waited_for_if_the_own_node_lost_it();
    void waiting_task_continues_with_another_returned_node();
    void damaged_copy_causes_a_fallback_to_an_older_checkpoint();
    void older_checkpoint_is_awaited_if_the_newest_is_lost();
    void deaths_without_progress_end_the_task();
    void removed_data_instances_are_not_waited_for();
    void fourth_fault_of_a_stage_moves_it_to_another_node();
    void fourth_fault_ends_the_task_without_another_node();
    void permanent_error_ends_the_task();
    void time_limit_ends_the_task();
    void instance_without_progress_is_replaced();
    void task_fails_if_its_answer_to_faults_is_fail();
    void task_waits_if_its_answer_to_faults_is_wait();
    void waiting_task_restores_from_its_own_nodes();
    void waiting_task_moves_nowhere_after_a_fourth_fault();
    void restarted_orchestrator_continues_to_wait();
    void decisions_are_logged_with_their_reasons();
    void restarted_orchestrator_completes_a_recovery();
    void next_embedded_cluster_ends_tasks_without_instances();
    void recovery_ends_each_lease_and_begins_a_new_one();
};

void RunRecoveryTest::all_stages_restore_the_last_checkpoint() {
    Fixture fixture;
    fixture.train();
    fixture.step(7);
    fixture.commit(5);
    const Output died = fixture.kill(second);
    const auto recovers = logged<TaskRecovers>(died);
    QCOMPARE(recovers.size(), std::size_t(1));
    QCOMPARE(recovers[0].generation, Generation(2));
    QCOMPARE(recovers[0].step, std::int64_t(5));
    QCOMPARE(recovers[0].culprit, second);
    QVERIFY(recovers[0].reason.find("killed by signal 9") != std::string::npos);
    QCOMPARE(fixture.task().generation, Generation(2));
    QCOMPARE(fixture.task().phase, TaskPhase::registration);
    QCOMPARE(fixture.starts(died, "b").at(0).instance, second_again);
    QCOMPARE(fixture.starts(died, "b").at(0).generation, Generation(2));
    QVERIFY(fixture.context.state().instances.at(second).exited);

    const Output joined = fixture.serve(first_again);
    const auto deploy = sent<Deploy>(joined, fixture.instances[first_again]);
    QCOMPARE(deploy.at(0).generation, Generation(2));
    QCOMPARE(deploy.at(0).restore, (Restore{5, {"first-5"}}));
    const Output other = fixture.serve(second_again);
    QCOMPARE(sent<Deploy>(other, fixture.instances[second_again]).at(0).restore, (Restore{5, {"second-5"}}));
    // Each instance is told of the new incarnation of its peer.
    const auto peers = sent<Peers>(other, fixture.instances[first_again]).at(0).peers;
    QVERIFY(std::ranges::any_of(peers, [](const Peer& peer) { return peer.instance == second_again; }));
    QVERIFY(std::ranges::none_of(peers, [](const Peer& peer) { return peer.instance == second; }));
    (void)fixture.say(first_again, InstancePrepared{first_again, "hash", 5, 2});
    const Output begun = fixture.say(second_again, InstancePrepared{second_again, "hash", -1, 2});
    QCOMPARE(sent<Begin>(begun, fixture.instances[first_again]).at(0).generation, Generation(2));
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    QVERIFY(!fixture.task().ending);
}

void RunRecoveryTest::without_a_checkpoint_training_restarts() {
    Fixture fixture;
    fixture.train();
    fixture.step(3);
    QCOMPARE(logged<TaskRecovers>(fixture.kill(first)).at(0).step, std::int64_t(0));
    const Output joined = fixture.serve(first_again);
    QCOMPARE(sent<Deploy>(joined, fixture.instances[first_again]).at(0).restore, Restore{});
}

void RunRecoveryTest::surviving_process_is_reused() {
    Fixture fixture;
    fixture.train();
    const Output died = fixture.kill(second);
    QCOMPARE(fixture.stops(died, "a").at(0).instance, first);
    QVERIFY(fixture.stops(died, "a").at(0).keep);
    QCOMPARE(fixture.starts(died, "a").at(0).from, first);
    QVERIFY(fixture.stops(died, "b").empty());
    QCOMPARE(fixture.starts(died, "b").at(0).from, InstanceId());
    fixture.go_on(first_again, second_again, "process of " + first.value());
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    // The process of an instance that reported its own failure is not reused.
    const Error alone{ErrorCode::unavailable, "its peer is away", "", ""};
    const Output failed = fixture.say(first_again, InstanceFailed{first_again, alone});
    QVERIFY(!fixture.stops(failed, "a").at(0).keep);
    QCOMPARE(fixture.starts(failed, "a").at(0).from, InstanceId());
    QVERIFY(fixture.stops(failed, "b").at(0).keep);
}

void RunRecoveryTest::reports_of_an_older_generation_are_ignored() {
    Fixture fixture;
    fixture.train();
    fixture.step(7);
    (void)fixture.kill(second);
    fixture.go_on(first_again, second_again);
    const std::size_t known = fixture.task().history.size();
    fixture.instances[second] = fixture.connect("a zombie");
    fixture.step(8);
    (void)fixture.say(first, InstanceFailed{first, {ErrorCode::unavailable, "what", "", ""}});
    (void)fixture.hear(fixture.nodes["a"], InstanceExited{first, 0, 0, ""});
    QCOMPARE(fixture.task().history.size(), known);
    QCOMPARE(fixture.task().generation, Generation(2));
    QVERIFY(!fixture.task().ending);
}

void RunRecoveryTest::fault_during_a_recovery_starts_another() {
    Fixture fixture;
    fixture.train();
    fixture.commit(5);
    (void)fixture.kill(second);
    (void)fixture.serve(first_again);
    const Output died = fixture.hear(fixture.nodes["b"], InstanceExited{second_again, 0, 9, ""});
    QCOMPARE(logged<TaskRecovers>(died).at(0).generation, Generation(3));
    QCOMPARE(logged<TaskRecovers>(died).at(0).step, std::int64_t(5));
    fixture.go_on(instance_of(sid_of(first), 3), instance_of(sid_of(second), 3));
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
}

void RunRecoveryTest::stage_moves_to_a_node_with_its_snapshot() {
    Fixture fixture;
    fixture.train();
    (void)fixture.join("c");
    (void)fixture.join("d");
    fixture.commit(5, {NodeId("a"), NodeId("b")}, {NodeId("b"), NodeId("d")});
    const Output lost = fixture.lose("b");
    QCOMPARE(logged<TaskRecovers>(lost).size(), std::size_t(1));
    QCOMPARE(fixture.starts(lost, "d").at(0).instance, second_again);
    QVERIFY(fixture.starts(lost, "c").empty());
    QVERIFY(fixture.context.state().instances.at(second).exited);
    fixture.go_on(first_again, second_again);
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    // The node reconnects with an instance that is retired.
    const Output back = fixture.join("b", {second});
    QCOMPARE(fixture.stops(back, "b").at(0).instance, second);
    QVERIFY(fixture.starts(back, "b").empty());
}

void RunRecoveryTest::sole_node_with_the_snapshot_is_waited_for() {
    Fixture fixture;
    fixture.train();
    (void)fixture.join("c");
    fixture.commit(5);
    const Output lost = fixture.lose("b");
    QVERIFY(fixture.starts(lost, "c").empty());
    const auto notes = logged<Noted>(lost);
    QVERIFY(std::ranges::any_of(
        notes, [](const Noted& note) { return note.text.find("waits for node b") != std::string::npos; }));
    const Output back = fixture.join("b");
    const auto starts = fixture.starts(back, "b");
    QCOMPARE(starts.size(), std::size_t(1));
    QCOMPARE(sid_of(starts[0].instance), sid_of(second));
    fixture.go_on(first_again, starts[0].instance);
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
}

void RunRecoveryTest::without_a_checkpoint_a_stage_restarts_elsewhere() {
    Fixture fixture;
    fixture.train();
    (void)fixture.join("c");
    QCOMPARE(fixture.starts(fixture.lose("b"), "c").at(0).instance, second_again);
    // If no node is free, the instance is placed on a node that the task already uses.
    Fixture full;
    full.train();
    const Output lost = full.lose("b");
    QCOMPARE(full.starts(lost, "a").size(), std::size_t(2));
}

void RunRecoveryTest::files_of_a_node_bind_the_stage_to_it() {
    Fixture fixture;
    fixture.train(data_on_its_node);
    (void)fixture.join("c");
    const Output lost = fixture.lose("a");
    QVERIFY(fixture.starts(lost, "c").empty());
    QCOMPARE(fixture.starts(fixture.join("a"), "a").size(), std::size_t(1));
}

void RunRecoveryTest::task_ends_if_its_node_never_returns() {
    Fixture fixture;
    fixture.train();
    fixture.commit(5);
    (void)fixture.lose("b");
    (void)fixture.serve(first_again);
    const OrchestratorLimits limits;
    const Output waits = fixture.pass(limits.node_return - seconds(61));
    QVERIFY(!fixture.task().ending);
    QVERIFY(logged<TaskRecovers>(waits).empty());  // no recovery starts meanwhile
    QVERIFY(fixture.task().phase_detail.find("node b (it is not connected)") != std::string::npos);
    (void)fixture.pass(seconds(122));
    QVERIFY(fixture.task().over());
    QVERIFY(fixture.task().error->what.find("within 10 minutes") != std::string::npos);
}

/// The agent reports its own end as the end of its instances, and takes no new instances.
void RunRecoveryTest::node_that_is_ending_gets_no_new_instances() {
    Fixture fixture;
    fixture.train();
    fixture.commit(5);
    const Error ending{ErrorCode::unavailable, "its node is ending", "b", ""};
    const Output told = fixture.hear(fixture.nodes["b"], InstanceFailed{second, ending});
    QVERIFY(fixture.starts(told, "b").empty());
    QVERIFY(!fixture.task().ending);
    QCOMPARE(fixture.task().generation, Generation(2));
    (void)fixture.context.sessions().close(fixture.nodes["b"]);
    fixture.context.sessions().give_up(NodeId("b"));
    QCOMPARE(fixture.starts(fixture.join("b"), "b").size(), std::size_t(1));
}

void RunRecoveryTest::damaged_snapshot_is_fetched_from_another_node() {
    const Error damage{ErrorCode::corrupt, "a snapshot is damaged", "second-5", ""};
    Fixture fixture;
    fixture.train();
    (void)fixture.join("c");
    fixture.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
    (void)fixture.kill(second);
    (void)fixture.serve(first_again);
    (void)fixture.serve(second_again);
    const Output again = fixture.say(second_again, InstanceFailed{second_again, damage});
    QCOMPARE(fixture.starts(again, "c").size(), std::size_t(1));
    QVERIFY(!fixture.task().ending);

    Fixture alone;
    alone.train();
    alone.commit(5);
    (void)alone.kill(second);
    (void)alone.serve(second_again);
    (void)alone.say(second_again, InstanceFailed{second_again, damage});
    QVERIFY(alone.task().ending.has_value());
    QCOMPARE(alone.task().ending->error->what, damage.what);
}

void RunRecoveryTest::node_with_a_copy_is_waited_for_if_the_own_node_lost_it() {
    const Error gone{ErrorCode::not_found, "no blob second-5", "/blobs", "upload it first"};
    const InstanceId second_third("t-1/stage-1/0#3");
    Fixture fixture;
    fixture.train();
    (void)fixture.join("c");
    fixture.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
    (void)fixture.lose("c");
    (void)fixture.kill(second);
    (void)fixture.serve(first_again);
    (void)fixture.serve(second_again);
    const Output waits = fixture.say(second_again, InstanceFailed{second_again, gone});
    QVERIFY(!fixture.task().ending);
    QVERIFY(tells(waits, "the task waits for node c, the only one with the state that t-1/stage-1/0 needs"));
    QVERIFY(fixture.starts(waits, "b").empty());
    const Output back = fixture.join("c");
    QVERIFY(logged<TaskRecovers>(back).empty());
    QCOMPARE(sid_of(fixture.starts(back, "c").at(0).instance), sid_of(second));
    QCOMPARE(fixture.context.state().instances.at(second_third).node, NodeId("c"));
}

void RunRecoveryTest::waiting_task_continues_with_another_returned_node() {
    Fixture fixture;
    fixture.train();
    for (const char* name : {"c", "d"}) (void)fixture.join(name);
    fixture.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
    (void)fixture.lose("c");
    (void)fixture.lose("b");
    QCOMPARE(fixture.task().generation, Generation(2));
    QVERIFY(fixture.task().phase_detail.find("waits for node b") != std::string::npos);
    // A node without snapshots of the task changes nothing.
    QVERIFY(logged<TaskRecovers>(fixture.join("e")).empty());
    const Output back = fixture.join("c");
    QCOMPARE(logged<TaskRecovers>(back).at(0).step, std::int64_t(5));
    QVERIFY(tells(back, "node c is back, so the task need not wait for node b"));
    QCOMPARE(fixture.starts(back, "c").at(0).instance, InstanceId("t-1/stage-1/0#3"));
    // The task also does not return to the node that it waited for.
    QVERIFY(logged<TaskRecovers>(fixture.join("b")).empty());
    fixture.go_on(InstanceId("t-1/stage-0/0#3"), InstanceId("t-1/stage-1/0#3"));
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
}

/// The stage's own node is lost, and its neighbour's copy is damaged.
void RunRecoveryTest::damaged_copy_causes_a_fallback_to_an_older_checkpoint() {
    const Error differs{ErrorCode::corrupt, "its bytes have changed on the disk", "second-5", "remove the file"};
    const InstanceId first_third("t-1/stage-0/0#3"), second_third("t-1/stage-1/0#3");
    Fixture fixture;
    fixture.train();
    for (const char* name : {"c", "d"}) (void)fixture.join(name);
    fixture.commit(3, {NodeId("a")}, {NodeId("b"), NodeId("d")});
    fixture.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
    QCOMPARE(fixture.starts(fixture.lose("b"), "c").at(0).instance, second_again);
    (void)fixture.serve(first_again);
    (void)fixture.serve(second_again);
    const Output again = fixture.say(second_again, InstanceFailed{second_again, differs});
    QCOMPARE(logged<TaskRecovers>(again).at(0).step, std::int64_t(3));
    QVERIFY(tells(again, differs.what));
    QCOMPARE(fixture.starts(again, "d").at(0).instance, second_third);
    const Output joined = fixture.serve(second_third);
    QCOMPARE(sent<Deploy>(joined, fixture.instances[second_third]).at(0).restore, (Restore{3, {"second-3"}}));
    const Output other = fixture.serve(first_third);
    QCOMPARE(sent<Deploy>(other, fixture.instances[first_third]).at(0).restore, (Restore{3, {"first-3"}}));
    QVERIFY(!fixture.task().ending);
}

void RunRecoveryTest::older_checkpoint_is_awaited_if_the_newest_is_lost() {
    const Error gone{ErrorCode::not_found, "no blob second-5", "/blobs", "upload it first"};
    Fixture fixture;
    fixture.train();
    (void)fixture.join("d");
    fixture.commit(3, {NodeId("a")}, {NodeId("d")});
    fixture.commit(5, {NodeId("a")}, {NodeId("b")});
    (void)fixture.lose("d");
    (void)fixture.kill(second);
    (void)fixture.serve(first_again);
    (void)fixture.serve(second_again);
    const Output waits = fixture.say(second_again, InstanceFailed{second_again, gone});
    QVERIFY(!fixture.task().ending);
    QCOMPARE(logged<TaskRecovers>(waits).at(0).step, std::int64_t(3));
    QVERIFY(tells(waits, "the task waits for node d"));
    const Output back = fixture.join("d");
    const InstanceId second_third = fixture.starts(back, "d").at(0).instance;
    const Output joined = fixture.serve(second_third);
    QCOMPARE(sent<Deploy>(joined, fixture.instances[second_third]).at(0).restore, (Restore{3, {"second-3"}}));
}

/// The task fails, however much time passes between the deaths.
void RunRecoveryTest::deaths_without_progress_end_the_task() {
    Fixture fixture;
    fixture.train();
    fixture.step(7);
    for (Incarnation number = 1; number <= most_fruitless + 2; ++number) {
        QVERIFY(!fixture.task().ending);
        (void)fixture.hear(fixture.nodes["b"], InstanceExited{instance_of(sid_of(second), number), 0, 9, ""});
        if (fixture.task().ending) break;
        fixture.go_on(instance_of(sid_of(first), number + 1), instance_of(sid_of(second), number + 1));
        (void)fixture.pass(seconds(250));
    }
    QVERIFY(fixture.task().ending.has_value());
    QCOMPARE(fixture.task().generation, Generation(most_fruitless + 2));
}

void RunRecoveryTest::removed_data_instances_are_not_waited_for() {
    Fixture fixture;
    fixture.train_with_data(2, plain_task, {}, task::FaultAnswer::recover);
    (void)fixture.scale(1);
    (void)fixture.say(data_1, InstanceExited{data_1, 0, 0, ""});
    (void)fixture.kill(first);
    const InstanceId data_again("t-1/data/0#2");
    for (const InstanceId& id : {first_again, data_again}) (void)fixture.serve(id);
    for (const InstanceId& id : {first_again, data_again}) (void)fixture.say(id, InstancePrepared{id, "hash", 5, 2});
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
}

void RunRecoveryTest::fourth_fault_of_a_stage_moves_it_to_another_node() {
    Fixture fixture;
    fixture.train();
    (void)fixture.join("c");
    for (Incarnation number = 1; number <= 3; ++number) {
        const Output died =
            fixture.hear(fixture.nodes["b"], InstanceExited{instance_of(sid_of(second), number), 0, 9, ""});
        QCOMPARE(fixture.starts(died, "b").size(), std::size_t(1));
    }
    const Output died = fixture.hear(fixture.nodes["b"], InstanceExited{instance_of(sid_of(second), 4), 0, 9, ""});
    QVERIFY(fixture.starts(died, "b").empty());
    QCOMPARE(fixture.starts(died, "c").at(0).instance, instance_of(sid_of(second), 5));
}

void RunRecoveryTest::fourth_fault_ends_the_task_without_another_node() {
    for (const bool slowly : {false, true}) {
        Fixture fixture;
        fixture.train();
        fixture.commit(5);  // each snapshot is only on the node of its stage
        for (Incarnation number = 1; number <= 4; ++number) {
            (void)fixture.hear(fixture.nodes["b"], InstanceExited{instance_of(sid_of(second), number), 0, 9, ""});
            if (!slowly) continue;
            fixture.go_on(instance_of(sid_of(first), number + 1), instance_of(sid_of(second), number + 1));
            (void)fixture.pass(seconds(250));
        }
        QCOMPARE(fixture.task().ending.has_value(), !slowly);
        if (!slowly) QVERIFY(fixture.task().ending->error->what.find("killed by signal 9") != std::string::npos);
    }
}

void RunRecoveryTest::permanent_error_ends_the_task() {
    Fixture fixture;
    fixture.train();
    (void)fixture.say(first, InstanceFailed{first, {ErrorCode::failed, "the loss is not finite", "", ""}});
    QVERIFY(fixture.task().ending.has_value());
    QCOMPARE(fixture.task().generation, Generation(1));
}

void RunRecoveryTest::time_limit_ends_the_task() {
    Fixture fixture;
    fixture.RunsFixture::train(60, task::FaultAnswer::recover, plain_task);
    (void)fixture.pass(seconds(61));
    QVERIFY(fixture.task().ending.has_value());
    QCOMPARE(fixture.task().ending->error->code, ErrorCode::deadline);
    QCOMPARE(fixture.task().generation, Generation(1));
}

/// The instance sends heartbeats, but is in one operation for far longer than a step takes.
void RunRecoveryTest::instance_without_progress_is_replaced() {
    const auto beat = [](Fixture& fixture, Duration stays) {
        InstanceLoad load{first};
        load.operation = "forward 1 of step 8";
        load.operation_ms = stays / std::chrono::milliseconds(1);
        return fixture.say(first, LoadReport{load});
    };
    const OrchestratorLimits limits;
    Fixture fixture;
    fixture.train();
    (void)beat(fixture, limits.stuck);  // the first step may take longer
    QCOMPARE(fixture.task().generation, Generation(1));
    fixture.step(7);
    (void)beat(fixture, limits.stuck - std::chrono::milliseconds(1));
    QCOMPARE(fixture.task().generation, Generation(1));
    const Output stuck = beat(fixture, limits.stuck);
    QCOMPARE(fixture.task().generation, Generation(2));
    QVERIFY(!fixture.stops(stuck, "a").at(0).keep);
    QCOMPARE(fixture.starts(stuck, "a").at(0).instance, first_again);
    QCOMPARE(fixture.starts(stuck, "a").at(0).from, InstanceId());
    QCOMPARE(fixture.starts(stuck, "b").at(0).from, second);

    Fixture slow;
    slow.train();
    StepRecord record;
    record.step = 1;
    record.step_ms = 5000;
    (void)slow.say(second, StepReport{the_task, second, record});
    (void)beat(slow, seconds(49));
    QCOMPARE(slow.task().generation, Generation(1));
    (void)beat(slow, seconds(50));
    QCOMPARE(slow.task().generation, Generation(2));
}

void RunRecoveryTest::task_fails_if_its_answer_to_faults_is_fail() {
    Fixture fixture;
    fixture.RunsFixture::train(0, task::FaultAnswer::fail, plain_task);
    fixture.commit(5);
    (void)fixture.kill(second);
    QVERIFY(fixture.task().ending.has_value());
    QCOMPARE(fixture.task().generation, Generation(1));
}

/// The task waits without limit, although another node has the snapshots that the stage needs.
void RunRecoveryTest::task_waits_if_its_answer_to_faults_is_wait() {
    for (const auto answer : {task::FaultAnswer::wait, task::FaultAnswer::recover}) {
        const bool waits = answer == task::FaultAnswer::wait;
        Fixture fixture;
        fixture.RunsFixture::train(0, answer, plain_task);
        (void)fixture.join("c");
        fixture.commit(5, {NodeId("a"), NodeId("c")}, {NodeId("b"), NodeId("c")});
        const Output lost = fixture.lose("b");
        QCOMPARE(logged<TaskRecovers>(lost).at(0).step, std::int64_t(5));
        QCOMPARE(fixture.starts(lost, "c").size(), std::size_t(waits ? 0 : 1));
        QCOMPARE(tells(lost, "the task waits for node b, as its task file says"), waits);
        (void)fixture.serve(first_again);
        if (!waits) continue;
        QCOMPARE(fixture.task().phase_detail,
                 std::string("waits for node b (it is not connected), as its task file says"));
        const Output meanwhile = fixture.pass(hours(2));
        QVERIFY(!fixture.task().ending);
        QVERIFY(logged<TaskRecovers>(meanwhile).empty());
        const auto starts = fixture.starts(fixture.join("b"), "b");
        QCOMPARE(starts.size(), std::size_t(1));
        const InstanceId back = starts[0].instance;
        QCOMPARE(sent<Deploy>(fixture.serve(back), fixture.instances[back]).at(0).restore, (Restore{5, {"second-5"}}));
        QCOMPARE(fixture.task().phase_detail, std::string());
        (void)fixture.say(first_again, InstancePrepared{first_again, "hash", 5, 2});
        (void)fixture.say(back, InstancePrepared{back, "hash", -1, 2});
        QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    }
}

void RunRecoveryTest::waiting_task_restores_from_its_own_nodes() {
    Fixture fixture;
    fixture.RunsFixture::train(0, task::FaultAnswer::wait, plain_task);
    (void)fixture.join("c");
    fixture.commit(5);
    fixture.commit(7, {NodeId("a")}, {NodeId("c")});
    QCOMPARE(logged<TaskRecovers>(fixture.kill(second)).at(0).step, std::int64_t(5));
}

void RunRecoveryTest::waiting_task_moves_nowhere_after_a_fourth_fault() {
    Fixture fixture;
    fixture.RunsFixture::train(0, task::FaultAnswer::wait, plain_task);
    (void)fixture.join("c");
    for (Incarnation number = 1; number <= 3; ++number) {
        const Output died =
            fixture.hear(fixture.nodes["b"], InstanceExited{instance_of(sid_of(second), number), 0, 9, ""});
        QCOMPARE(fixture.starts(died, "b").size(), std::size_t(1));
    }
    const Output died = fixture.hear(fixture.nodes["b"], InstanceExited{instance_of(sid_of(second), 4), 0, 9, ""});
    QVERIFY(fixture.task().ending.has_value());
    QVERIFY(tells(died, "3 times within 10 minutes"));
    QVERIFY(tells(died, "its task file does not let it leave a node"));
}

void RunRecoveryTest::restarted_orchestrator_continues_to_wait() {
    Fixture fixture;
    fixture.RunsFixture::train(0, task::FaultAnswer::wait, plain_task);
    fixture.commit(5);
    (void)fixture.lose("b");
    (void)fixture.serve(first_again);
    Restarted after(fixture);
    (void)after.join("a", {first_again});
    (void)after.serve(first_again, InstanceState::starting, "process of " + first_again.value());
    (void)after.pass(hours(1));
    QVERIFY(!after.task().ending);
    QVERIFY(after.task().phase_detail.find("node b (it is not connected), as its task file says") != std::string::npos);
    QCOMPARE(sent<StartInstance>(after.join("b"), after.nodes["b"]).size(), std::size_t(1));
}

void RunRecoveryTest::decisions_are_logged_with_their_reasons() {
    Fixture fixture;
    fixture.train();
    (void)fixture.join("c");
    fixture.commit(5, {NodeId("a"), NodeId("c")}, {NodeId("b"), NodeId("c")});
    const Output died = fixture.kill(second);
    QVERIFY(tells(died, "a fault of t-1/stage-1/0#1 on node b, structural, its process is gone: "));
    QVERIFY(tells(died, "killed by signal 9; answer: back to step 5 as generation 2, t-1/stage-1/0 again on node b"));
    fixture.go_on(first_again, second_again);
    const Error alone{ErrorCode::unavailable, "its peer is away", "", ""};
    QVERIFY(tells(fixture.say(first_again, InstanceFailed{first_again, alone}),
                  "a fault of t-1/stage-0/0#2 on node a, transient, its process still runs: its peer is away; "
                  "answer: back "
                  "to step 5 as generation 3"));
    const Output lost = fixture.lose("b");
    QVERIFY(tells(lost,
                  "structural, its process is gone: node b was lost (gone); answer: back to step 5 as "
                  "generation 4, t-1/stage-1/0 from node b to node c"));

    Fixture other;
    other.train();
    const Error loss{ErrorCode::failed, "the loss is not finite", "", ""};
    QVERIFY(tells(other.say(first, InstanceFailed{first, loss}),
                  "the error would repeat: the loss is not finite; answer: the task ends"));
}

void RunRecoveryTest::restarted_orchestrator_completes_a_recovery() {
    Fixture fixture;
    fixture.train();
    fixture.commit(5);
    (void)fixture.kill(second);
    (void)fixture.serve(first_again);
    Restarted after(fixture);
    QVERIFY(!after.task().ending);
    QCOMPARE(after.task().generation, Generation(2));
    // One instance had registered before; the other's process was never seen.
    (void)after.join("a", {first_again});
    (void)after.serve(first_again, InstanceState::starting, "process of " + first_again.value());
    const auto starts = sent<StartInstance>(after.join("b"), after.nodes["b"]);
    QCOMPARE(starts.size(), std::size_t(1));
    const InstanceId third = starts[0].instance;
    QCOMPARE(sent<Deploy>(after.serve(third), after.instances[third]).at(0).restore, (Restore{5, {"second-5"}}));
    (void)after.say(first_again, InstancePrepared{first_again, "hash", 5, 2});
    (void)after.say(third, InstancePrepared{third, "hash", -1, 2});
    QCOMPARE(after.task().phase, TaskPhase::exchange);
}

/// The processes of an embedded cluster end with the program that started it. The next cluster must not continue their
/// training.
void RunRecoveryTest::next_embedded_cluster_ends_tasks_without_instances() {
    for (const bool trains : {false, true}) {
        Fixture fixture;
        fixture.train();
        Fixture after(fixture.log);
        after.leases.adopt();
        after.runs.adopt(true);
        (void)after.take();
        if (!trains) {
            (void)after.join("a");
            QVERIFY(after.task().ending.has_value());
            QCOMPARE(after.task().generation, Generation(1));
            continue;
        }
        // If only the orchestrator had ended, the instances continue.
        (void)after.join("a", {first});
        (void)after.join("b", {second});
        (void)after.serve(first, InstanceState::running);
        (void)after.kill(second);
        QCOMPARE(after.task().generation, Generation(2));
    }
}

void RunRecoveryTest::recovery_ends_each_lease_and_begins_a_new_one() {
    Fixture fixture;
    fixture.train();
    (void)fixture.kill(second);
    (void)fixture.hear(fixture.nodes["a"], InstanceExited{first, 0, 0, ""});
    fixture.go_on(first_again, second_again);
    std::size_t open = 0, reclaimed = 0;
    for (const auto& [number, lease] : fixture.context.state().leases) {
        const InstanceId& who = lease.lease.instance;
        if (lease.open()) ++open;
        else ++reclaimed;
        QCOMPARE(lease.open(), who == first_again || who == second_again);
        if (lease.open()) QCOMPARE(lease.state, LeaseState::active);
    }
    QCOMPARE(open, std::size_t(2));
    QCOMPARE(reclaimed, std::size_t(2));
}

DIVISI_TEST(RunRecoveryTest)

}  // namespace run_recovery_test

#include "run_recovery_test.moc"
