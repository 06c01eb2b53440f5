// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recuts.h"

#include "backend/control/runs/task_instances.h"
#include "backend/task/parse.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/recut_fixture.h"

namespace recuts_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::minutes;
using Fixture = RecutFixture;

/// Tests re-cuts: a task in training changes to another plan.
class RecutsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void old_plan_trains_until_everything_is_ready();
    void stage_that_stays_on_its_node_keeps_its_process();
    void each_stage_restores_the_snapshots_of_its_operators();
    void client_is_answered_after_the_first_step();
    void moved_cuts_fetch_only_snapshots_that_a_node_lacks();
    void only_the_needed_part_of_a_snapshot_is_brought();
    void part_brought_for_another_task_does_not_count();
    void checkpoint_copies_are_brought_whole();
    void snapshots_are_brought_as_soon_as_they_are_durable();
    void snapshots_that_are_no_longer_needed_are_not_waited_for();
    void recut_to_fewer_stages_retires_the_last_stage();
    void retired_stage_returns_under_another_number();
    void undo_requests_the_previous_text();
    void file_of_an_imported_model_is_brought_to_its_readers();
    void fault_right_afterwards_restores_the_same_checkpoint();
    void checkpoint_of_the_new_plan_has_its_generation();
    void restarted_orchestrator_completes_the_recut();
    void impossible_recuts_are_refused();
    void plan_that_a_recut_changes_must_be_in_force();
    void second_recut_at_the_same_time_is_refused();
    void plan_that_does_not_compile_is_refused();
    void unchanged_plan_is_refused();
    void error_names_a_node_that_cannot_take_its_stage_data();
    void error_names_a_node_that_cannot_take_its_stage();
    void recut_without_a_checkpoint_is_refused();
    void failure_before_the_change_keeps_the_old_plan_data();
    void failure_before_the_change_keeps_the_old_plan();
    void restart_before_the_change_keeps_the_old_plan();
    void held_stages_are_not_taken_for_stalled();
    void slow_steps_are_waited_for();
    void disconnected_stage_that_moves_does_not_hold_the_others();
    void process_of_an_aborted_recut_ends_when_its_node_returns();
};

void RecutsTest::old_plan_trains_until_everything_is_ready() {
    Fixture fixture;
    const Output asked = fixture.ask(Fixture::stages(3));
    QCOMPARE(asked.jobs.size(), std::size_t(1));
    const auto& planning = get<Planning>(asked.jobs[0].what);
    QCOMPARE(planning.before, plain);
    QCOMPARE(task::parse_task(planning.submission->text, "t")->split.stages, std::int64_t(3));
    const Output planned = fixture.plan(asked, Fixture::summary("next", {{0}, {0, 1}, {1}}));
    QVERIFY(fixture.stops(planned, "a").empty() && fixture.stops(planned, "b").empty());
    // The staying instances compile the new plan, and c gets a process for the stage between them.
    const std::string text = fixture.order(planned, first).text;
    QCOMPARE(task::parse_task(text, "t")->split.cuts, (Hashes{"/cut-1", "/cut-2"}));
    QCOMPARE(fixture.order(planned, second).text, text);
    QCOMPARE(fixture.starts(planned, "c").at(0).instance, waits);
    QVERIFY(fixture.maker.ordered.empty());
    (void)fixture.get_ready(planned);
    QCOMPARE(fixture.maker.ordered, std::vector<TaskId>{the_task});
    fixture.step(4);
    (void)fixture.commit(4);  // older than the ordered checkpoint
    QVERIFY(fixture.maker.held.empty());
    const Output committed = fixture.commit(5);
    QVERIFY(fixture.maker.held.contains(the_task));
    // The middle stage goes to the free node, which needs the snapshots of both old stages.
    QCOMPARE(sent<FetchBlob>(committed, fixture.nodes["c"]).size(), std::size_t(2));
    QVERIFY(logged<TaskRecut>(committed).empty());
    fixture.step(5);
    QVERIFY(fixture.task().generation == 1);

    const Output force = fixture.arrive(committed);
    const auto recut = logged<TaskRecut>(force);
    QCOMPARE(recut.size(), std::size_t(1));
    QCOMPARE(recut[0].generation, Generation(2));
    QCOMPARE(recut[0].step, std::int64_t(5));
    QCOMPARE(recut[0].from, std::string("hash"));
    QCOMPARE(recut[0].to, std::string("next"));
    QVERIFY(fixture.maker.held.empty());
    QCOMPARE(fixture.task().plan_hash, std::string("next"));
    QCOMPARE(fixture.task().step, std::int64_t(5));
    QCOMPARE(fixture.task().text_before, plain);
    QCOMPARE(task::parse_task(fixture.task().text, "t")->split.cuts, (Hashes{"/cut-1", "/cut-2"}));
    QCOMPARE(fixture.task().units.size(), std::size_t(3));
    QCOMPARE(fixture.task().units[2].instance, third);
}

void RecutsTest::stage_that_stays_on_its_node_keeps_its_process() {
    Fixture fixture;
    const Output force = fixture.recut();
    QCOMPARE(fixture.starts(force, "a").at(0).instance, first_again);
    QCOMPARE(fixture.starts(force, "a").at(0).from, first);
    QVERIFY(fixture.stops(force, "a").at(0).keep);
    // The last stage stays on b under another number.
    QCOMPARE(fixture.starts(force, "b").at(0).instance, third);
    QCOMPARE(fixture.starts(force, "b").at(0).from, second);
    QVERIFY(fixture.stops(force, "b").at(0).keep);
    QCOMPARE(fixture.starts(force, "c").at(0).instance, second_again);
    QCOMPARE(fixture.starts(force, "c").at(0).from, waits);
    QVERIFY(fixture.stops(force, "c").at(0).keep);
    // Each new instance holds a lease, and the old leases end.
    for (const InstanceId& id : {first_again, second_again, third}) QVERIFY(fixture.leases.held_by(id) != nullptr);
    (void)fixture.hear(fixture.nodes["a"], InstanceExited{first, 0, 0, ""});
    QVERIFY(fixture.leases.held_by(first) == nullptr);
}

void RecutsTest::each_stage_restores_the_snapshots_of_its_operators() {
    Fixture fixture;
    (void)fixture.recut();
    const auto restore = [&](const InstanceId& id) {
        return sent<Deploy>(fixture.serve(id), fixture.instances[id]).at(0).restore;
    };
    QCOMPARE(restore(first_again), (Restore{5, {of_first}}));
    QCOMPARE(restore(second_again), (Restore{5, {of_first, of_second}}));
    QCOMPARE(restore(third), (Restore{5, {of_second}}));
}

void RecutsTest::client_is_answered_after_the_first_step() {
    Fixture fixture;
    fixture.begin();
    fixture.step(5);
    (void)fixture.poll();
    const Output committed = fixture.commit();
    (void)fixture.pass(std::chrono::seconds(1));
    const Output force = fixture.arrive(committed);
    QVERIFY(sent<RecutDone>(force, fixture.client).empty());
    fixture.go_on({first_again, second_again, third});
    (void)fixture.pass(std::chrono::seconds(2));
    const auto done = sent<RecutDone>(fixture.train_step(third, 6), fixture.client);
    QCOMPARE(done.size(), std::size_t(1));
    QCOMPARE(done[0].plan, std::string("next"));
    QCOMPARE(done[0].cuts, (Hashes{"/cut-1", "/cut-2"}));
    QCOMPARE(done[0].generation, Generation(2));
    QCOMPARE(done[0].step, std::int64_t(5));
    QCOMPARE(done[0].again, std::int64_t(0));
    QCOMPARE(done[0].brought, Bytes(20));
    // The stall counts from the last step of the old plan, so it includes the second before the re-cut took effect.
    QVERIFY(done[0].stall_ms >= 3000 && done[0].stall_ms < 4000);
    QVERIFY(sent<RecutDone>(fixture.train_step(third, 7), fixture.client).empty());
}

void RecutsTest::moved_cuts_fetch_only_snapshots_that_a_node_lacks() {
    Fixture fixture;
    const Output planned =
        fixture.plan(fixture.ask({the_task, "hash", {"/cut-1"}}), Fixture::summary("moved", {{0, 1}, {1}}));
    QVERIFY(sent<Refused>(planned, fixture.client).empty());
    QVERIFY(fixture.starts(planned, "c").empty());  // all stages already have a process
    (void)fixture.get_ready(planned, "moved");
    const Output committed = fixture.commit();
    const auto fetches = sent<FetchBlob>(committed, fixture.nodes["a"]);
    QCOMPARE(fetches.size(), std::size_t(1));
    QCOMPARE(fetches[0].hash, of_second);
    QVERIFY(sent<FetchBlob>(committed, fixture.nodes["b"]).empty());
    const Output force = fixture.arrive(committed);
    QCOMPARE(fixture.starts(force, "a").at(0).from, first);
    QCOMPARE(fixture.starts(force, "b").at(0).from, second);
    QVERIFY(fixture.starts(force, "c").empty());
    fixture.go_on({first_again, second_again});
}

/// The checkpoint's own copies go to the node on another host.
void RecutsTest::only_the_needed_part_of_a_snapshot_is_brought() {
    Fixture fixture;
    fixture.move_to_another_host("c");
    PlanSummary plan = Fixture::summary("moved", {{0, 1}, {1}});
    plan.begins_with = {{"embedding", "w1"}, {"w2"}};
    (void)fixture.get_ready(fixture.plan(fixture.ask({the_task, "hash", {"/cut-1"}}), plan), "moved");
    fixture.step(5);
    (void)fixture.poll();
    const Output committed = fixture.commit();
    const auto fetches = sent<FetchBlob>(committed, fixture.nodes["a"]);
    QCOMPARE(fetches.size(), std::size_t(1));
    QCOMPARE(fetches[0].hash, of_second);
    QCOMPARE(fetches[0].values, (std::vector<std::string>{"embedding", "w1"}));
    const Output force = fixture.tell(fixture.nodes["a"], BlobFetched{fetches[0].transfer, 4, {}});
    QCOMPARE(logged<TaskRecut>(force).size(), std::size_t(1));
    fixture.go_on({first_again, second_again});
    QCOMPARE(sent<RecutDone>(fixture.train_step(second_again, 6), fixture.client).at(0).brought, Bytes(4));
}

/// Two tasks are re-cut to the same node at the same time, and each needs another part of the same snapshot.
void RecutsTest::part_brought_for_another_task_does_not_count() {
    constexpr std::uint64_t another = 99;
    Fixture fixture;
    fixture.move_to_another_host("c");
    PlanSummary plan = Fixture::summary("moved", {{0, 1}, {1}});
    plan.begins_with = {{"embedding", "w1"}, {"w2"}};
    (void)fixture.get_ready(fixture.plan(fixture.ask({the_task, "hash", {"/cut-1"}}), plan), "moved");
    fixture.step(5);
    (void)fixture.poll();
    const auto own = sent<FetchBlob>(fixture.commit(), fixture.nodes["a"]);
    QCOMPARE(own.size(), std::size_t(1));
    QVERIFY(fixture.transfers.bring(of_second, NodeId("b"), NodeId("a"), fixture.recuts, {"w9"}, another).ok());
    const auto others = sent<FetchBlob>(fixture.take(), fixture.nodes["a"]);
    QCOMPARE(others.size(), std::size_t(1));
    QCOMPARE(others[0].values, std::vector<std::string>{"w9"});
    const Output early = fixture.tell(fixture.nodes["a"], BlobFetched{others[0].transfer, 3, {}});
    QVERIFY(logged<TaskRecut>(early).empty());
    const Output force = fixture.tell(fixture.nodes["a"], BlobFetched{own[0].transfer, 4, {}});
    QCOMPARE(logged<TaskRecut>(force).size(), std::size_t(1));
    fixture.go_on({first_again, second_again});
    QCOMPARE(sent<RecutDone>(fixture.train_step(second_again, 6), fixture.client).at(0).brought, Bytes(4));
}

/// A snapshot is also brought whole if the plan does not say which of its values are needed.
void RecutsTest::checkpoint_copies_are_brought_whole() {
    for (const bool is_copied_there : {true, false}) {
        Fixture fixture;
        if (!is_copied_there) fixture.move_to_another_host("c");
        PlanSummary plan = Fixture::summary("moved", {{0, 1}, {1}});
        if (is_copied_there) plan.begins_with = {{"embedding", "w1"}, {"w2"}};
        (void)fixture.get_ready(fixture.plan(fixture.ask({the_task, "hash", {"/cut-1"}}), plan), "moved");
        const auto fetches = sent<FetchBlob>(fixture.commit(), fixture.nodes["a"]);
        QCOMPARE(fetches.size(), std::size_t(1));
        QVERIFY(fetches[0].values.empty());
    }
}

/// A snapshot is brought when it is durable, before the other snapshots are durable and copied.
void RecutsTest::snapshots_are_brought_as_soon_as_they_are_durable() {
    Fixture fixture;
    fixture.begin();
    fixture.maker.durable = {{sid_of(first), 0, of_first, 10, {NodeId("a")}}};
    const Output early = fixture.poll();
    const auto fetched = sent<FetchBlob>(early, fixture.nodes["c"]);
    QCOMPARE(fetched.size(), std::size_t(1));
    QCOMPARE(fetched[0].hash, of_first);
    QVERIFY(sent<FetchBlob>(fixture.poll(), fixture.nodes["c"]).empty());  // requested only once
    (void)fixture.arrive(early);
    const Output committed = fixture.commit();
    QCOMPARE(sent<FetchBlob>(committed, fixture.nodes["c"]).at(0).hash, of_second);
    QCOMPARE(sent<FetchBlob>(committed, fixture.nodes["c"]).size(), std::size_t(1));
    QCOMPARE(logged<TaskRecut>(fixture.arrive(committed)).size(), std::size_t(1));
    fixture.go_on({first_again, second_again, third});
    QCOMPARE(sent<RecutDone>(fixture.train_step(third, 6), fixture.client).at(0).brought, Bytes(20));
}

void RecutsTest::snapshots_that_are_no_longer_needed_are_not_waited_for() {
    const std::string too_late(64, '9');
    Fixture fixture;
    fixture.begin();
    // The first snapshot is of a step that the other stages had already passed, so no checkpoint has it. It is in
    // transit.
    fixture.maker.durable = {{sid_of(first), 0, too_late, 10, {NodeId("a")}}};
    QCOMPARE(sent<FetchBlob>(fixture.poll(), fixture.nodes["c"]).size(), std::size_t(1));
    // The second snapshot does not arrive and is requested again.
    fixture.maker.durable = {{sid_of(second), 1, of_second, 10, {NodeId("b")}}};
    const Output early = fixture.poll();
    const Error differs{ErrorCode::corrupt, "one bit differs", "c", "copy it again"};
    QVERIFY(sent<Refused>(fixture.arrive(early, differs), fixture.client).empty());
    const Output committed = fixture.commit();
    QCOMPARE(sent<FetchBlob>(committed, fixture.nodes["c"]).size(), std::size_t(2));
    QCOMPARE(logged<TaskRecut>(fixture.arrive(committed)).size(), std::size_t(1));
}

void RecutsTest::recut_to_fewer_stages_retires_the_last_stage() {
    Fixture fixture;
    const Output force = fixture.recut({{0, 1}});
    QVERIFY(!fixture.stops(force, "b").at(0).keep);
    QVERIFY(fixture.starts(force, "b").empty());
    QVERIFY(fixture.context.state().instances.at(second).retired);
    QCOMPARE(instances_of(fixture.context.state(), the_task).size(), std::size_t(1));
    // Reports of the retired stage are refused, and its end is not a fault.
    QVERIFY(!sent<Refused>(fixture.serve(second), fixture.instances[second]).empty());
    (void)fixture.hear(fixture.nodes["b"], InstanceExited{second, 0, 15, ""});
    QVERIFY(fixture.context.state().instances.at(second).exited);
    QCOMPARE(fixture.task().generation, Generation(2));
    // The retired instance's node is free again, and its loss affects nothing.
    QCOMPARE(use_of(fixture.context.state()).nodes.count(NodeId("b")), std::size_t(0));
    fixture.go_on({first_again});
    (void)fixture.lose("b");
    QCOMPARE(fixture.task().generation, Generation(2));
    (void)fixture.say(first_again, InstanceFinished{{the_task, first_again, 10, "h", "/w", 1, 2}});
    QVERIFY(fixture.task().ending && fixture.task().ending->outcome == Outcome::succeeded);
    (void)fixture.hear(fixture.nodes["a"], InstanceExited{first_again, 0, 0, ""});
    QCOMPARE(fixture.task().phase, TaskPhase::ended);
}

void RecutsTest::retired_stage_returns_under_another_number() {
    Fixture fixture;
    (void)fixture.recut({{0, 1}});
    fixture.go_on({first_again});
    (void)fixture.train_step(first_again, 6);
    fixture.maker.next = 8;
    (void)fixture.get_ready(
        fixture.plan(fixture.ask({the_task, "", {}, 0, true}), Fixture::summary("hash", {{0}, {0}})), "hash");
    fixture.context.append(
        CheckpointCommitted{the_task, {2, 8, fixture.now, {{sid_of(first), 0, of_second, 10, {NodeId("a")}}}}});
    const Output force = fixture.arrive(fixture.poll());
    QCOMPARE(logged<TaskRecut>(force).size(), std::size_t(1));
    fixture.go_on({instance_of(sid_of(first), 3), second_again});
    QCOMPARE(fixture.task().generation, Generation(3));
    QCOMPARE(fixture.task().plan_hash, std::string("hash"));
}

void RecutsTest::undo_requests_the_previous_text() {
    Fixture fixture;
    QCOMPARE(fixture.refusal(fixture.ask({the_task, "", {}, 0, true})).code, ErrorCode::conflict);
    (void)fixture.recut();
    fixture.go_on({first_again, second_again, third});
    (void)fixture.train_step(third, 6);
    const Output asked = fixture.ask({the_task, "next", {}, 0, true});
    QCOMPARE(get<Planning>(asked.jobs.at(0).what).submission->text, plain);
}

void RecutsTest::file_of_an_imported_model_is_brought_to_its_readers() {
    Fixture fixture;
    const std::string file(64, 'f');
    PlanSummary plan = Fixture::summary("next", {{0}, {0, 1}, {1}});
    plan.weighted = {1};
    plan.weighted_before = {0};
    ClusterState state = fixture.context.state();
    state.tasks.at(the_task).files = {{"weights", "/w.onnx", file, 99, false}};
    state.tasks.at(the_task).nodes = {NodeId("a"), NodeId("b")};
    fixture.context.restore(std::move(state));
    const Output planned = fixture.plan(fixture.ask(Fixture::stages(3)), plan);
    // The model file never changes, so it is brought before the stages hold.
    const auto early = sent<FetchBlob>(planned, fixture.nodes["c"]);
    QCOMPARE(early.size(), std::size_t(1));
    QCOMPARE(early[0].hash, file);
    const Output ready = fixture.get_ready(planned);
    // The process on c needs the file to build its segment.
    QVERIFY(sent<PreparePlan>(ready, fixture.instances[waits]).empty());
    QVERIFY(fixture.maker.ordered.empty());
    fixture.prepare(fixture.arrive(planned));
    QCOMPARE(fixture.maker.ordered.size(), std::size_t(1));
    const Output committed = fixture.commit();
    Hashes fetched;
    for (const FetchBlob& fetch : sent<FetchBlob>(committed, fixture.nodes["c"])) fetched.push_back(fetch.hash);
    QCOMPARE(fetched, (Hashes{of_first, of_second}));
    (void)fixture.arrive(committed);
    QCOMPARE(fixture.task().nodes, (std::vector<NodeId>{NodeId("a"), NodeId("c"), NodeId("b")}));
}

void RecutsTest::fault_right_afterwards_restores_the_same_checkpoint() {
    Fixture fixture;
    (void)fixture.recut();
    fixture.go_on({first_again, second_again, third});
    const Output died = fixture.kill(second_again);
    const auto recovers = logged<TaskRecovers>(died);
    QCOMPARE(recovers.size(), std::size_t(1));
    QCOMPARE(recovers[0].step, std::int64_t(5));
    const InstanceId next = instance_of(sid_of(second), 3);
    QCOMPARE(fixture.starts(died, "c").at(0).instance, next);
    const auto restore = sent<Deploy>(fixture.serve(next), fixture.instances[next]).at(0).restore;
    QCOMPARE(restore, (Restore{5, {of_first, of_second}}));
    // No other node has both snapshots, so the task waits for c.
    const Output lost = fixture.lose("c");
    QVERIFY(fixture.starts(lost, "a").size() == 1 && fixture.starts(lost, "b").size() == 1);
}

void RecutsTest::checkpoint_of_the_new_plan_has_its_generation() {
    Fixture fixture;
    (void)fixture.recut();
    fixture.go_on({first_again, second_again, third});
    Checkpoint own{2, 8, fixture.now, {}};
    std::int32_t stage = 0;
    for (const char* node : {"a", "c", "b"}) {
        const std::string hash(64, static_cast<char>('4' + stage));
        own.parts.push_back({sid_in(the_task, stage), stage, hash, 10, {NodeId(node)}});
        ++stage;
    }
    fixture.context.append(CheckpointCommitted{the_task, own});
    (void)fixture.kill(second_again);
    const InstanceId next = instance_of(sid_of(second), 3);
    QCOMPARE(sent<Deploy>(fixture.serve(next), fixture.instances[next]).at(0).restore,
             (Restore{8, {std::string(64, '5')}}));
}

void RecutsTest::restarted_orchestrator_completes_the_recut() {
    Fixture fixture;
    (void)fixture.recut({{0, 1}});
    Restarted after(fixture);
    QVERIFY(!after.task().ending);
    QCOMPARE(after.task().generation, Generation(2));
    // The retired instance is told to end, and the task does not wait for it.
    const Output back = after.join("b", {second});
    QCOMPARE(sent<StopInstance>(back, after.nodes["b"]).at(0).instance, second);
    const auto starts = sent<StartInstance>(after.join("a"), after.nodes["a"]);
    QCOMPARE(starts.size(), std::size_t(1));
    const InstanceId next = starts[0].instance;
    QCOMPARE(sent<Deploy>(after.serve(next), after.instances[next]).at(0).restore, (Restore{5, {of_first, of_second}}));
    (void)after.say(next, InstancePrepared{next, "next", 5, 2});
    QCOMPARE(after.task().phase, TaskPhase::exchange);
}

void RecutsTest::impossible_recuts_are_refused() {
    Fixture fixture;
    QCOMPARE(fixture.refusal(fixture.ask({TaskId("u-1"), "", {}, 3})).code, ErrorCode::not_found);
    QCOMPARE(fixture.refusal(fixture.ask({the_task})).code, ErrorCode::invalid_input);
    QCOMPARE(fixture.refusal(fixture.ask({the_task, "", {"/a"}, 3})).code, ErrorCode::invalid_input);
    fixture.context.append(PhaseChanged{the_task, TaskPhase::exception, "waits"});
    const Error waits = fixture.refusal(fixture.ask(Fixture::stages(3)));
    QCOMPARE(waits.code, ErrorCode::conflict);
    QVERIFY(waits.what.find("does not train now") != std::string::npos);
    Fixture batch(testing::TaskFile().batch({"onnx", "m.onnx"}).text());
    QCOMPARE(batch.refusal(batch.ask(Fixture::stages(3))).code, ErrorCode::unsupported);
}

void RecutsTest::plan_that_a_recut_changes_must_be_in_force() {
    Fixture fixture;
    const Error error = fixture.refusal(fixture.ask({the_task, "older", {}, 3}));
    QCOMPARE(error.code, ErrorCode::conflict);
    QVERIFY(error.what.find("older") != std::string::npos && error.what.find("hash") != std::string::npos);
    QVERIFY(sent<Refused>(fixture.ask({the_task, "hash", {}, 3}), fixture.client).empty());
}

void RecutsTest::second_recut_at_the_same_time_is_refused() {
    Fixture fixture;
    const Output asked = fixture.ask(Fixture::stages(3));
    QCOMPARE(fixture.refusal(fixture.ask(Fixture::stages(1))).code, ErrorCode::conflict);
    // The first re-cut continues.
    const Output planned = fixture.plan(asked, Fixture::summary("next", {{0}, {0, 1}, {1}}));
    QCOMPARE(fixture.refusal(fixture.ask(Fixture::stages(1))).code, ErrorCode::conflict);
    (void)fixture.get_ready(planned);
    QCOMPARE(logged<TaskRecut>(fixture.arrive(fixture.commit())).size(), std::size_t(1));
}

void RecutsTest::plan_that_does_not_compile_is_refused() {
    Fixture fixture;
    const Error why{ErrorCode::invalid_input, "no such cut", "split.cuts", "use one of these"};
    const Output planned = fixture.plan(fixture.ask({the_task, "", {"/nowhere"}}), why);
    QCOMPARE(fixture.refusal(planned).message(), why.message());
    QVERIFY(fixture.trains_by_the_old_plan());
    QVERIFY(logged<Noted>(planned).empty());
    QVERIFY(sent<Refused>(fixture.ask(Fixture::stages(3)), fixture.client).empty());  // another re-cut may be requested
}

void RecutsTest::unchanged_plan_is_refused() {
    Fixture fixture;
    const Output planned = fixture.plan(fixture.ask(Fixture::stages(2)), Fixture::summary("hash", {{0}, {1}}));
    QCOMPARE(fixture.refusal(planned).code, ErrorCode::conflict);
    QVERIFY(fixture.maker.ordered.empty());
}

void RecutsTest::error_names_a_node_that_cannot_take_its_stage_data() {
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("what");
    QTest::newRow("unknown") << "z"
                             << "is not ready";
    QTest::newRow("away") << "c"
                          << "is not ready";
    QTest::newRow("too small") << "c"
                               << "has no memory";
}

/// The plan is like one drawn in the console, in which each block names its node.
void RecutsTest::error_names_a_node_that_cannot_take_its_stage() {
    QFETCH(QString, node);
    QFETCH(QString, what);
    Fixture fixture;
    const std::string row = QTest::currentDataTag();
    if (row == "away") fixture.context.append(NodeEnded{NodeId("c"), NodeState::away, "silent"});
    if (row == "too small") {
        NodeInfo small = fixture.context.state().nodes.at(NodeId("c")).info;
        small.memory = process_memory - 1;
        fixture.context.append(NodeJoined{small});
    }
    PlanSummary plan = Fixture::summary("next", {{0}, {0, 1}, {1}});
    plan.stage_nodes = {"", node.toStdString(), ""};
    const Output planned = fixture.plan(fixture.ask(Fixture::stages(3)), plan);
    const Error error = fixture.refusal(planned);
    QCOMPARE(error.code, ErrorCode::unavailable);
    QCOMPARE(error.where, "node " + node.toStdString());
    QVERIFY2(error.what.find(what.toStdString()) != std::string::npos, error.what.c_str());
    QVERIFY(!error.next.empty());
    QVERIFY(fixture.trains_by_the_old_plan() && fixture.maker.ordered.empty());
    QVERIFY(fixture.starts(planned, "c").empty());
    QVERIFY(!fixture.recuts.changes(the_task));
}

void RecutsTest::recut_without_a_checkpoint_is_refused() {
    Fixture fixture;
    fixture.maker.refusal = Error{ErrorCode::conflict, "the task ends before", "t-1", "wait"};
    const Output planned = fixture.plan(fixture.ask(Fixture::stages(3)), Fixture::summary("next", {{0}, {0, 1}, {1}}));
    const Output ready = fixture.get_ready(planned);
    QCOMPARE(fixture.refusal(ready).what, std::string("the task ends before"));
    QVERIFY(fixture.trains_by_the_old_plan());
    // The process started for the re-cut ends.
    QVERIFY(!fixture.stops(ready, "c").at(0).keep);
    QCOMPARE(fixture.state(waits), InstanceState::stopped);
}

void RecutsTest::failure_before_the_change_keeps_the_old_plan_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("a transfer fails") << "transfer" << ErrorCode::corrupt;
    QTest::newRow("the free node leaves") << "node" << ErrorCode::unavailable;
    QTest::newRow("the process that waits dies") << "standby" << ErrorCode::unavailable;
    QTest::newRow("a stage is away") << "stage" << ErrorCode::unavailable;
    QTest::newRow("its stages cannot be held") << "stand" << ErrorCode::unavailable;
    QTest::newRow("its checkpoint is lost") << "checkpoint" << ErrorCode::unavailable;
    QTest::newRow("it takes too long") << "time" << ErrorCode::deadline;
}

void RecutsTest::failure_before_the_change_keeps_the_old_plan() {
    QFETCH(QString, what);
    QFETCH(ErrorCode, code);
    Fixture fixture;
    fixture.begin();
    Output committed;
    if (what != "stand") committed = fixture.commit();
    std::optional<Error> error;
    if (what == "transfer") error = Error{ErrorCode::corrupt, "one bit differs", "c", "copy it again"};
    if (what == "checkpoint")
        for (const std::int64_t step : {6, 7})
            fixture.context.append(CheckpointCommitted{the_task, {1, step, fixture.now, {}}});
    Output ended;
    if (what == "node") {
        (void)fixture.lose("c");
        ended = fixture.poll();
    } else if (what == "standby") {
        (void)fixture.hear(fixture.nodes["c"], InstanceExited{waits, 0, 9, ""});
        ended = fixture.poll();
    } else if (what == "stage") {
        (void)fixture.context.sessions().close(fixture.instances[second]);
        ended = fixture.poll();
    } else if (what == "stand") {
        fixture.maker.standing.clear();
        ended = fixture.poll();
    } else if (what == "time") {
        QVERIFY(fixture.recuts.next_deadline().has_value());
        (void)fixture.pass(recut_patience + minutes(1));
        ended = fixture.poll();
    } else {
        ended = fixture.arrive(committed, error);
    }
    QCOMPARE(fixture.refusal(ended).code, code);
    QVERIFY(!fixture.refusal(ended).next.empty());
    QVERIFY(fixture.trains_by_the_old_plan());
    QVERIFY(logged<TaskRecut>(ended).empty());
    QVERIFY(!fixture.recuts.next_deadline().has_value());
    // The re-cut may be requested again.
    QVERIFY(sent<Refused>(fixture.ask(Fixture::stages(3)), fixture.client).empty());
}

/// A restarted orchestrator knows nothing of a re-cut that had not come into force. The process started for it ends.
void RecutsTest::restart_before_the_change_keeps_the_old_plan() {
    Fixture fixture;
    fixture.begin();
    (void)fixture.commit();
    Restarted after(fixture);
    QCOMPARE(after.task().generation, Generation(1));
    QCOMPARE(after.task().plan_hash, std::string("hash"));
    (void)after.join("a", {first});
    (void)after.join("b", {second});
    (void)after.join("c", {waits});
    for (const InstanceId& id : {first, second, waits})
        (void)after.serve(id, id == waits ? InstanceState::prepared : InstanceState::running);
    const auto stops = sent<StopInstance>(after.pass(std::chrono::seconds(1)), after.nodes["c"]);
    QCOMPARE(stops.size(), std::size_t(1));
    QVERIFY(stops[0].instance == waits && !stops[0].keep);
    QCOMPARE(after.task().phase, TaskPhase::exchange);
    QCOMPARE(after.state(first), InstanceState::running);
}

/// Held stages do not count as stalled, however long snapshots are in transit.
void RecutsTest::held_stages_are_not_taken_for_stalled() {
    const auto report = [](Fixture& fixture, const InstanceId& id, const std::vector<InstanceId>& awaited) {
        LoadReport said;
        said.load.instance = id;
        said.load.generation = fixture.task().generation;
        said.load.waits_for = awaited;
        said.load.waits_ms = awaited.empty() ? 0 : 30'000;
        (void)fixture.say(id, said);
    };
    Fixture fixture;
    fixture.begin();
    const Output committed = fixture.commit();
    report(fixture, first, {});
    report(fixture, second, {first});
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    QCOMPARE(logged<TaskRecut>(fixture.arrive(committed)).size(), std::size_t(1));

    // The hold does not count as waiting time of the stages that continue afterwards.
    Fixture given_up;
    given_up.begin();
    report(given_up, first, {});
    report(given_up, second, {first});
    given_up.maker.standing.clear();
    (void)given_up.poll();
    given_up.runs.lifecycle().update_waits();
    QCOMPARE(given_up.task().phase, TaskPhase::exchange);
}

/// Stages do not hold before the ordered step has ended. Two steps may take longer than the longest hold.
void RecutsTest::slow_steps_are_waited_for() {
    Fixture fixture;
    fixture.begin();
    (void)fixture.pass(stand_patience + minutes(1));
    QVERIFY(sent<Refused>(fixture.poll(), fixture.client).empty());
    fixture.step(5);
    QVERIFY(sent<Refused>(fixture.poll(), fixture.client).empty());
    (void)fixture.pass(stand_patience);
    QCOMPARE(fixture.refusal(fixture.poll()).code, ErrorCode::deadline);
}

/// The hold order of a stage is lost with its connection, and the other stages must not wait for it.
void RecutsTest::disconnected_stage_that_moves_does_not_hold_the_others() {
    Fixture fixture;
    fixture.begin({{0, 1}});
    QVERIFY(sent<Refused>(fixture.poll(), fixture.client).empty());
    (void)fixture.context.sessions().close(fixture.instances[second]);
    const Error error = fixture.refusal(fixture.poll());
    QCOMPARE(error.code, ErrorCode::unavailable);
    QCOMPARE(error.where, second.value());
    QVERIFY(fixture.trains_by_the_old_plan());
    // Once its snapshot is in a checkpoint, the disconnected stage is no longer needed.
    Fixture other;
    other.begin({{0, 1}});
    const Output committed = other.commit();
    (void)other.context.sessions().close(other.instances[second]);
    QCOMPARE(logged<TaskRecut>(other.arrive(committed)).size(), std::size_t(1));
}

/// The node was disconnected, so the process could not be told to end at that time.
void RecutsTest::process_of_an_aborted_recut_ends_when_its_node_returns() {
    Fixture fixture;
    fixture.begin();
    const PeerId away = fixture.nodes["c"];
    (void)fixture.context.sessions().close(away);
    const Output given_up = fixture.poll();
    QCOMPARE(fixture.refusal(given_up).code, ErrorCode::unavailable);
    QCOMPARE(fixture.state(waits), InstanceState::stopped);
    QVERIFY(sent<StopInstance>(given_up, away).empty());
    const auto stops = fixture.stops(fixture.join("c", {waits}), "c");
    QCOMPARE(stops.size(), std::size_t(1));
    QVERIFY(stops[0].instance == waits && !stops[0].keep);
    (void)fixture.hear(fixture.nodes["c"], InstanceExited{waits, 0, 15, ""});
    QVERIFY(fixture.context.state().instances.at(waits).exited);
    QVERIFY(fixture.trains_by_the_old_plan());
    // A process that still waits for a re-cut in progress is not ended.
    Fixture other;
    other.begin();
    (void)other.context.sessions().close(other.nodes["c"]);
    QVERIFY(other.stops(other.join("c", {waits}), "c").empty());
}

DIVISI_TEST(RecutsTest)

}  // namespace recuts_test

#include "recuts_test.moc"
