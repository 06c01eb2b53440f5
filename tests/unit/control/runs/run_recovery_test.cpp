// SPDX-License-Identifier: Apache-2.0
// Faults that a task survives: run_recovery.cpp.

#include <algorithm>

#include "tests/support/test_program.h"

#include "tests/unit/control/recovery_floor.h"

namespace run_recovery_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::hours, std::chrono::seconds;
using Floor = RecoveryFloor;

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
    void ending_node_is_not_asked();
    void damaged_snapshot_is_fetched_from_another_node();
    void node_with_the_copy_is_waited_for_if_the_own_lost_it();
    void waiting_task_continues_with_another_returned_node();
    void damaged_copy_causes_a_fallback_to_an_older_checkpoint();
    void older_checkpoint_is_awaited_if_the_newest_is_lost();
    void deaths_without_progress_end_the_task();
    void lost_data_instances_are_not_waited_for();
    void fourth_fault_of_a_sid_moves_it_to_another_node();
    void fourth_fault_ends_the_task_without_another_node();
    void permanent_error_ends_the_task();
    void time_limit_ends_the_task();
    void instance_without_progress_is_replaced();
    void task_may_fail_instead();
    void task_may_wait_for_its_node_instead();
    void waiting_task_restores_from_its_own_nodes();
    void waiting_task_moves_nowhere_after_a_fourth_fault();
    void restarted_orchestrator_continues_to_wait();
    void decisions_are_logged_with_their_reasons();
    void restarted_orchestrator_completes_a_recovery();
    void tasks_of_another_cluster_are_over();
    void each_lease_ends_and_a_new_one_begins();
};

void RunRecoveryTest::all_stages_restore_the_last_checkpoint() {
    Floor floor;
    floor.train();
    floor.step(7);
    floor.commit(5);
    const Output died = floor.kill(second);
    const auto recovers = logged<TaskRecovers>(died);
    QCOMPARE(recovers.size(), std::size_t(1));
    QCOMPARE(recovers[0].generation, Generation(2));
    QCOMPARE(recovers[0].step, std::int64_t(5));
    QCOMPARE(recovers[0].culprit, second);
    QVERIFY(recovers[0].reason.find("killed by signal 9") != std::string::npos);
    QCOMPARE(floor.task().generation, Generation(2));
    QCOMPARE(floor.task().phase, TaskPhase::registration);
    QCOMPARE(floor.starts(died, "b").at(0).instance, second_again);
    QCOMPARE(floor.starts(died, "b").at(0).generation, Generation(2));
    QVERIFY(floor.desk.state().instances.at(second).exited);

    const Output joined = floor.serve(first_again);
    const auto deploy = sent<Deploy>(joined, floor.instances[first_again]);
    QCOMPARE(deploy.at(0).generation, Generation(2));
    QCOMPARE(deploy.at(0).restore, (Restore{5, {"first-5"}}));
    const Output other = floor.serve(second_again);
    QCOMPARE(sent<Deploy>(other, floor.instances[second_again]).at(0).restore, (Restore{5, {"second-5"}}));
    // Each instance is told of the new incarnation of its peer.
    const auto peers = sent<Peers>(other, floor.instances[first_again]).at(0).peers;
    QVERIFY(std::ranges::any_of(peers, [](const Peer& peer) { return peer.instance == second_again; }));
    QVERIFY(std::ranges::none_of(peers, [](const Peer& peer) { return peer.instance == second; }));
    (void)floor.say(first_again, InstancePrepared{first_again, "hash", 5, 2});
    const Output begun = floor.say(second_again, InstancePrepared{second_again, "hash", -1, 2});
    QCOMPARE(sent<Begin>(begun, floor.instances[first_again]).at(0).generation, Generation(2));
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
    QVERIFY(!floor.task().ending);
}

void RunRecoveryTest::without_a_checkpoint_training_restarts() {
    Floor floor;
    floor.train();
    floor.step(3);
    QCOMPARE(logged<TaskRecovers>(floor.kill(first)).at(0).step, std::int64_t(0));
    const Output joined = floor.serve(first_again);
    QCOMPARE(sent<Deploy>(joined, floor.instances[first_again]).at(0).restore, Restore{});
}

void RunRecoveryTest::surviving_process_is_reused() {
    Floor floor;
    floor.train();
    const Output died = floor.kill(second);
    QCOMPARE(floor.stops(died, "a").at(0).instance, first);
    QVERIFY(floor.stops(died, "a").at(0).keep);
    QCOMPARE(floor.starts(died, "a").at(0).from, first);
    QVERIFY(floor.stops(died, "b").empty());
    QCOMPARE(floor.starts(died, "b").at(0).from, InstanceId());
    floor.go_on(first_again, second_again, "process of " + first.value());
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
    // The process of an instance that reported its own failure is not reused.
    const Error alone{ErrorCode::unavailable, "its peer is away", "", ""};
    const Output failed = floor.say(first_again, InstanceFailed{first_again, alone});
    QVERIFY(!floor.stops(failed, "a").at(0).keep);
    QCOMPARE(floor.starts(failed, "a").at(0).from, InstanceId());
    QVERIFY(floor.stops(failed, "b").at(0).keep);
}

void RunRecoveryTest::reports_of_an_older_generation_are_ignored() {
    Floor floor;
    floor.train();
    floor.step(7);
    (void)floor.kill(second);
    floor.go_on(first_again, second_again);
    const std::size_t known = floor.task().history.size();
    floor.instances[second] = floor.connect("a zombie");
    floor.step(8);
    (void)floor.say(first, InstanceFailed{first, {ErrorCode::unavailable, "what", "", ""}});
    (void)floor.hear(floor.nodes["a"], InstanceExited{first, 0, 0, ""});
    QCOMPARE(floor.task().history.size(), known);
    QCOMPARE(floor.task().generation, Generation(2));
    QVERIFY(!floor.task().ending);
}

void RunRecoveryTest::fault_during_a_recovery_starts_another() {
    Floor floor;
    floor.train();
    floor.commit(5);
    (void)floor.kill(second);
    (void)floor.serve(first_again);
    const Output died = floor.hear(floor.nodes["b"], InstanceExited{second_again, 0, 9, ""});
    QCOMPARE(logged<TaskRecovers>(died).at(0).generation, Generation(3));
    QCOMPARE(logged<TaskRecovers>(died).at(0).step, std::int64_t(5));
    floor.go_on(instance_of(sid_of(first), 3), instance_of(sid_of(second), 3));
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
}

void RunRecoveryTest::stage_moves_to_a_node_with_its_snapshot() {
    Floor floor;
    floor.train();
    (void)floor.join("c");
    (void)floor.join("d");
    floor.commit(5, {NodeId("a"), NodeId("b")}, {NodeId("b"), NodeId("d")});
    const Output lost = floor.lose("b");
    QCOMPARE(logged<TaskRecovers>(lost).size(), std::size_t(1));
    QCOMPARE(floor.starts(lost, "d").at(0).instance, second_again);
    QVERIFY(floor.starts(lost, "c").empty());
    QVERIFY(floor.desk.state().instances.at(second).exited);
    floor.go_on(first_again, second_again);
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
    // The node reconnects with an instance that is retired.
    const Output back = floor.join("b", {second});
    QCOMPARE(floor.stops(back, "b").at(0).instance, second);
    QVERIFY(floor.starts(back, "b").empty());
}

void RunRecoveryTest::sole_node_with_the_snapshot_is_waited_for() {
    Floor floor;
    floor.train();
    (void)floor.join("c");
    floor.commit(5);
    const Output lost = floor.lose("b");
    QVERIFY(floor.starts(lost, "c").empty());
    const auto notes = logged<Noted>(lost);
    QVERIFY(std::ranges::any_of(
        notes, [](const Noted& note) { return note.text.find("waits for node b") != std::string::npos; }));
    const Output back = floor.join("b");
    const auto starts = floor.starts(back, "b");
    QCOMPARE(starts.size(), std::size_t(1));
    QCOMPARE(sid_of(starts[0].instance), sid_of(second));
    floor.go_on(first_again, starts[0].instance);
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
}

void RunRecoveryTest::without_a_checkpoint_a_stage_restarts_elsewhere() {
    Floor floor;
    floor.train();
    (void)floor.join("c");
    QCOMPARE(floor.starts(floor.lose("b"), "c").at(0).instance, second_again);
    // If no node is free, a node that the task already uses is taken.
    Floor full;
    full.train();
    const Output lost = full.lose("b");
    QCOMPARE(full.starts(lost, "a").size(), std::size_t(2));
}

void RunRecoveryTest::files_of_a_node_bind_the_stage_to_it() {
    Floor floor;
    floor.train(data_on_its_node);
    (void)floor.join("c");
    const Output lost = floor.lose("a");
    QVERIFY(floor.starts(lost, "c").empty());
    QCOMPARE(floor.starts(floor.join("a"), "a").size(), std::size_t(1));
}

void RunRecoveryTest::task_ends_if_its_node_never_returns() {
    Floor floor;
    floor.train();
    floor.commit(5);
    (void)floor.lose("b");
    (void)floor.serve(first_again);
    const OrchestratorLimits limits;
    const Output waits = floor.pass(limits.node_return - seconds(61));
    QVERIFY(!floor.task().ending);
    QVERIFY(logged<TaskRecovers>(waits).empty());  // no recovery starts meanwhile
    QVERIFY(floor.task().phase_detail.find("node b (it is not there)") != std::string::npos);
    (void)floor.pass(seconds(122));
    QVERIFY(floor.task().over());
    QVERIFY(floor.task().error->what.find("within 10 minutes") != std::string::npos);
}

/// The agent reports its own end for its instances and takes no new ones.
void RunRecoveryTest::ending_node_is_not_asked() {
    Floor floor;
    floor.train();
    floor.commit(5);
    const Error ending{ErrorCode::unavailable, "its node is ending", "b", ""};
    const Output told = floor.hear(floor.nodes["b"], InstanceFailed{second, ending});
    QVERIFY(floor.starts(told, "b").empty());
    QVERIFY(!floor.task().ending);
    QCOMPARE(floor.task().generation, Generation(2));
    (void)floor.desk.sessions().close(floor.nodes["b"]);
    floor.desk.sessions().give_up(NodeId("b"));
    QCOMPARE(floor.starts(floor.join("b"), "b").size(), std::size_t(1));
}

void RunRecoveryTest::damaged_snapshot_is_fetched_from_another_node() {
    const Error damage{ErrorCode::corrupt, "a snapshot is damaged", "second-5", ""};
    Floor floor;
    floor.train();
    (void)floor.join("c");
    floor.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
    (void)floor.kill(second);
    (void)floor.serve(first_again);
    (void)floor.serve(second_again);
    const Output again = floor.say(second_again, InstanceFailed{second_again, damage});
    QCOMPARE(floor.starts(again, "c").size(), std::size_t(1));
    QVERIFY(!floor.task().ending);

    Floor alone;
    alone.train();
    alone.commit(5);
    (void)alone.kill(second);
    (void)alone.serve(second_again);
    (void)alone.say(second_again, InstanceFailed{second_again, damage});
    QVERIFY(alone.task().ending.has_value());
    QCOMPARE(alone.task().ending->error->what, damage.what);
}

void RunRecoveryTest::node_with_the_copy_is_waited_for_if_the_own_lost_it() {
    const Error gone{ErrorCode::not_found, "no blob second-5", "/blobs", "upload it first"};
    const InstanceId second_third("t-1/stage-1/0#3");
    Floor floor;
    floor.train();
    (void)floor.join("c");
    floor.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
    (void)floor.lose("c");
    (void)floor.kill(second);
    (void)floor.serve(first_again);
    (void)floor.serve(second_again);
    const Output waits = floor.say(second_again, InstanceFailed{second_again, gone});
    QVERIFY(!floor.task().ending);
    QVERIFY(tells(waits, "the task waits for node c, which alone has what t-1/stage-1/0 goes on with"));
    QVERIFY(floor.starts(waits, "b").empty());
    const Output back = floor.join("c");
    QVERIFY(logged<TaskRecovers>(back).empty());
    QCOMPARE(sid_of(floor.starts(back, "c").at(0).instance), sid_of(second));
    QCOMPARE(floor.desk.state().instances.at(second_third).node, NodeId("c"));
}

void RunRecoveryTest::waiting_task_continues_with_another_returned_node() {
    Floor floor;
    floor.train();
    for (const char* name : {"c", "d"}) (void)floor.join(name);
    floor.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
    (void)floor.lose("c");
    (void)floor.lose("b");
    QCOMPARE(floor.task().generation, Generation(2));
    QVERIFY(floor.task().phase_detail.find("waits for node b") != std::string::npos);
    // A node without snapshots of the task changes nothing.
    QVERIFY(logged<TaskRecovers>(floor.join("e")).empty());
    const Output back = floor.join("c");
    QCOMPARE(logged<TaskRecovers>(back).at(0).step, std::int64_t(5));
    QVERIFY(tells(back, "with node c back it need not wait for node b"));
    QCOMPARE(floor.starts(back, "c").at(0).instance, InstanceId("t-1/stage-1/0#3"));
    // The task does not return to the node that it waited for, either.
    QVERIFY(logged<TaskRecovers>(floor.join("b")).empty());
    floor.go_on(InstanceId("t-1/stage-0/0#3"), InstanceId("t-1/stage-1/0#3"));
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
}

/// The stage's own node is lost, and its neighbour's copy is damaged.
void RunRecoveryTest::damaged_copy_causes_a_fallback_to_an_older_checkpoint() {
    const Error differs{ErrorCode::corrupt, "its bytes have changed on the disk", "second-5", "remove the file"};
    const InstanceId first_third("t-1/stage-0/0#3"), second_third("t-1/stage-1/0#3");
    Floor floor;
    floor.train();
    for (const char* name : {"c", "d"}) (void)floor.join(name);
    floor.commit(3, {NodeId("a")}, {NodeId("b"), NodeId("d")});
    floor.commit(5, {NodeId("a")}, {NodeId("b"), NodeId("c")});
    QCOMPARE(floor.starts(floor.lose("b"), "c").at(0).instance, second_again);
    (void)floor.serve(first_again);
    (void)floor.serve(second_again);
    const Output again = floor.say(second_again, InstanceFailed{second_again, differs});
    QCOMPARE(logged<TaskRecovers>(again).at(0).step, std::int64_t(3));
    QVERIFY(tells(again, differs.what));
    QCOMPARE(floor.starts(again, "d").at(0).instance, second_third);
    const Output joined = floor.serve(second_third);
    QCOMPARE(sent<Deploy>(joined, floor.instances[second_third]).at(0).restore, (Restore{3, {"second-3"}}));
    const Output other = floor.serve(first_third);
    QCOMPARE(sent<Deploy>(other, floor.instances[first_third]).at(0).restore, (Restore{3, {"first-3"}}));
    QVERIFY(!floor.task().ending);
}

void RunRecoveryTest::older_checkpoint_is_awaited_if_the_newest_is_lost() {
    const Error gone{ErrorCode::not_found, "no blob second-5", "/blobs", "upload it first"};
    Floor floor;
    floor.train();
    (void)floor.join("d");
    floor.commit(3, {NodeId("a")}, {NodeId("d")});
    floor.commit(5, {NodeId("a")}, {NodeId("b")});
    (void)floor.lose("d");
    (void)floor.kill(second);
    (void)floor.serve(first_again);
    (void)floor.serve(second_again);
    const Output waits = floor.say(second_again, InstanceFailed{second_again, gone});
    QVERIFY(!floor.task().ending);
    QCOMPARE(logged<TaskRecovers>(waits).at(0).step, std::int64_t(3));
    QVERIFY(tells(waits, "the task waits for node d"));
    const Output back = floor.join("d");
    const InstanceId second_third = floor.starts(back, "d").at(0).instance;
    const Output joined = floor.serve(second_third);
    QCOMPARE(sent<Deploy>(joined, floor.instances[second_third]).at(0).restore, (Restore{3, {"second-3"}}));
}

/// The task fails however far apart the deaths are.
void RunRecoveryTest::deaths_without_progress_end_the_task() {
    Floor floor;
    floor.train();
    floor.step(7);
    for (Incarnation number = 1; number <= most_fruitless + 2; ++number) {
        QVERIFY(!floor.task().ending);
        (void)floor.hear(floor.nodes["b"], InstanceExited{instance_of(sid_of(second), number), 0, 9, ""});
        if (floor.task().ending) break;
        floor.go_on(instance_of(sid_of(first), number + 1), instance_of(sid_of(second), number + 1));
        (void)floor.pass(seconds(250));
    }
    QVERIFY(floor.task().ending.has_value());
    QCOMPARE(floor.task().generation, Generation(most_fruitless + 2));
}

void RunRecoveryTest::lost_data_instances_are_not_waited_for() {
    Floor floor;
    floor.train_with_data(2, plain, {}, task::FaultAnswer::recover);
    (void)floor.scale(1);
    (void)floor.say(data_1, InstanceExited{data_1, 0, 0, ""});
    (void)floor.kill(first);
    const InstanceId data_again("t-1/data/0#2");
    for (const InstanceId& id : {first_again, data_again}) (void)floor.serve(id);
    for (const InstanceId& id : {first_again, data_again}) (void)floor.say(id, InstancePrepared{id, "hash", 5, 2});
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
}

void RunRecoveryTest::fourth_fault_of_a_sid_moves_it_to_another_node() {
    Floor floor;
    floor.train();
    (void)floor.join("c");
    for (Incarnation number = 1; number <= 3; ++number) {
        const Output died = floor.hear(floor.nodes["b"], InstanceExited{instance_of(sid_of(second), number), 0, 9, ""});
        QCOMPARE(floor.starts(died, "b").size(), std::size_t(1));
    }
    const Output died = floor.hear(floor.nodes["b"], InstanceExited{instance_of(sid_of(second), 4), 0, 9, ""});
    QVERIFY(floor.starts(died, "b").empty());
    QCOMPARE(floor.starts(died, "c").at(0).instance, instance_of(sid_of(second), 5));
}

void RunRecoveryTest::fourth_fault_ends_the_task_without_another_node() {
    for (const bool slowly : {false, true}) {
        Floor floor;
        floor.train();
        floor.commit(5);  // a snapshot on its own node only
        for (Incarnation number = 1; number <= 4; ++number) {
            (void)floor.hear(floor.nodes["b"], InstanceExited{instance_of(sid_of(second), number), 0, 9, ""});
            if (!slowly) continue;
            floor.go_on(instance_of(sid_of(first), number + 1), instance_of(sid_of(second), number + 1));
            (void)floor.pass(seconds(250));
        }
        QCOMPARE(floor.task().ending.has_value(), !slowly);
        if (!slowly) QVERIFY(floor.task().ending->error->what.find("killed by signal 9") != std::string::npos);
    }
}

void RunRecoveryTest::permanent_error_ends_the_task() {
    Floor floor;
    floor.train();
    (void)floor.say(first, InstanceFailed{first, {ErrorCode::failed, "the loss is not finite", "", ""}});
    QVERIFY(floor.task().ending.has_value());
    QCOMPARE(floor.task().generation, Generation(1));
}

void RunRecoveryTest::time_limit_ends_the_task() {
    Floor floor;
    floor.RunsFloor::train(60, task::FaultAnswer::recover, plain);
    (void)floor.pass(seconds(61));
    QVERIFY(floor.task().ending.has_value());
    QCOMPARE(floor.task().ending->error->code, ErrorCode::deadline);
    QCOMPARE(floor.task().generation, Generation(1));
}

/// The instance sends heartbeats, but is in one operation for far longer than a step takes.
void RunRecoveryTest::instance_without_progress_is_replaced() {
    const auto beat = [](Floor& floor, Duration stays) {
        InstanceLoad load{first};
        load.operation = "forward 1 of step 8";
        load.operation_ms = stays / std::chrono::milliseconds(1);
        return floor.say(first, LoadReport{load});
    };
    const OrchestratorLimits limits;
    Floor floor;
    floor.train();
    (void)beat(floor, limits.stuck);  // the first step may take longer
    QCOMPARE(floor.task().generation, Generation(1));
    floor.step(7);
    (void)beat(floor, limits.stuck - std::chrono::milliseconds(1));
    QCOMPARE(floor.task().generation, Generation(1));
    const Output stuck = beat(floor, limits.stuck);
    QCOMPARE(floor.task().generation, Generation(2));
    QVERIFY(!floor.stops(stuck, "a").at(0).keep);
    QCOMPARE(floor.starts(stuck, "a").at(0).instance, first_again);
    QCOMPARE(floor.starts(stuck, "a").at(0).from, InstanceId());
    QCOMPARE(floor.starts(stuck, "b").at(0).from, second);

    Floor slow;
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

void RunRecoveryTest::task_may_fail_instead() {
    Floor floor;
    floor.RunsFloor::train(0, task::FaultAnswer::fail, plain);
    floor.commit(5);
    (void)floor.kill(second);
    QVERIFY(floor.task().ending.has_value());
    QCOMPARE(floor.task().generation, Generation(1));
}

/// The task waits however long it takes, although another node has the snapshots that the stage needs.
void RunRecoveryTest::task_may_wait_for_its_node_instead() {
    for (const auto answer : {task::FaultAnswer::wait, task::FaultAnswer::recover}) {
        const bool waits = answer == task::FaultAnswer::wait;
        Floor floor;
        floor.RunsFloor::train(0, answer, plain);
        (void)floor.join("c");
        floor.commit(5, {NodeId("a"), NodeId("c")}, {NodeId("b"), NodeId("c")});
        const Output lost = floor.lose("b");
        QCOMPARE(logged<TaskRecovers>(lost).at(0).step, std::int64_t(5));
        QCOMPARE(floor.starts(lost, "c").size(), std::size_t(waits ? 0 : 1));
        QCOMPARE(tells(lost, "the task waits for node b, as its task file says"), waits);
        (void)floor.serve(first_again);
        if (!waits) continue;
        QCOMPARE(floor.task().phase_detail, std::string("waits for node b (it is not there), as its task file says"));
        const Output meanwhile = floor.pass(hours(2));
        QVERIFY(!floor.task().ending);
        QVERIFY(logged<TaskRecovers>(meanwhile).empty());
        const auto starts = floor.starts(floor.join("b"), "b");
        QCOMPARE(starts.size(), std::size_t(1));
        const InstanceId back = starts[0].instance;
        QCOMPARE(sent<Deploy>(floor.serve(back), floor.instances[back]).at(0).restore, (Restore{5, {"second-5"}}));
        QCOMPARE(floor.task().phase_detail, std::string());
        (void)floor.say(first_again, InstancePrepared{first_again, "hash", 5, 2});
        (void)floor.say(back, InstancePrepared{back, "hash", -1, 2});
        QCOMPARE(floor.task().phase, TaskPhase::exchange);
    }
}

void RunRecoveryTest::waiting_task_restores_from_its_own_nodes() {
    Floor floor;
    floor.RunsFloor::train(0, task::FaultAnswer::wait, plain);
    (void)floor.join("c");
    floor.commit(5);
    floor.commit(7, {NodeId("a")}, {NodeId("c")});
    QCOMPARE(logged<TaskRecovers>(floor.kill(second)).at(0).step, std::int64_t(5));
}

void RunRecoveryTest::waiting_task_moves_nowhere_after_a_fourth_fault() {
    Floor floor;
    floor.RunsFloor::train(0, task::FaultAnswer::wait, plain);
    (void)floor.join("c");
    for (Incarnation number = 1; number <= 3; ++number) {
        const Output died = floor.hear(floor.nodes["b"], InstanceExited{instance_of(sid_of(second), number), 0, 9, ""});
        QCOMPARE(floor.starts(died, "b").size(), std::size_t(1));
    }
    const Output died = floor.hear(floor.nodes["b"], InstanceExited{instance_of(sid_of(second), 4), 0, 9, ""});
    QVERIFY(floor.task().ending.has_value());
    QVERIFY(tells(died, "3 times within 10 minutes"));
    QVERIFY(tells(died, "it leaves no node, as its task file says"));
}

void RunRecoveryTest::restarted_orchestrator_continues_to_wait() {
    Floor floor;
    floor.RunsFloor::train(0, task::FaultAnswer::wait, plain);
    floor.commit(5);
    (void)floor.lose("b");
    (void)floor.serve(first_again);
    Restarted after(floor);
    (void)after.join("a", {first_again});
    (void)after.serve(first_again, InstanceState::starting, "process of " + first_again.value());
    (void)after.pass(hours(1));
    QVERIFY(!after.task().ending);
    QVERIFY(after.task().phase_detail.find("node b (it is not there), as its task file says") != std::string::npos);
    QCOMPARE(sent<StartInstance>(after.join("b"), after.nodes["b"]).size(), std::size_t(1));
}

void RunRecoveryTest::decisions_are_logged_with_their_reasons() {
    Floor floor;
    floor.train();
    (void)floor.join("c");
    floor.commit(5, {NodeId("a"), NodeId("c")}, {NodeId("b"), NodeId("c")});
    const Output died = floor.kill(second);
    QVERIFY(tells(died, "a fault of t-1/stage-1/0#1 on node b, structural, its process is gone: "));
    QVERIFY(tells(died, "killed by signal 9; answer: back to step 5 as generation 2, t-1/stage-1/0 again on node b"));
    floor.go_on(first_again, second_again);
    const Error alone{ErrorCode::unavailable, "its peer is away", "", ""};
    QVERIFY(tells(floor.say(first_again, InstanceFailed{first_again, alone}),
                  "a fault of t-1/stage-0/0#2 on node a, transient, its process lives: its peer is away; answer: back "
                  "to step 5 as generation 3"));
    const Output lost = floor.lose("b");
    QVERIFY(tells(lost,
                  "structural, its process is gone: node b was lost (gone); answer: back to step 5 as "
                  "generation 4, t-1/stage-1/0 from node b to node c"));

    Floor other;
    other.train();
    const Error loss{ErrorCode::failed, "the loss is not finite", "", ""};
    QVERIFY(tells(other.say(first, InstanceFailed{first, loss}),
                  "it would meet the same again: the loss is not finite; answer: the task ends"));
}

void RunRecoveryTest::restarted_orchestrator_completes_a_recovery() {
    Floor floor;
    floor.train();
    floor.commit(5);
    (void)floor.kill(second);
    (void)floor.serve(first_again);
    Restarted after(floor);
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
void RunRecoveryTest::tasks_of_another_cluster_are_over() {
    for (const bool trains : {false, true}) {
        Floor floor;
        floor.train();
        Floor after(floor.log);
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

void RunRecoveryTest::each_lease_ends_and_a_new_one_begins() {
    Floor floor;
    floor.train();
    (void)floor.kill(second);
    (void)floor.hear(floor.nodes["a"], InstanceExited{first, 0, 0, ""});
    floor.go_on(first_again, second_again);
    std::size_t open = 0, reclaimed = 0;
    for (const auto& [number, lease] : floor.desk.state().leases) {
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
