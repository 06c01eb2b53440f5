// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recuts.h"

#include "backend/task/parse.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/recut_floor.h"

namespace recuts_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::minutes;
using Floor = RecutFloor;

/// A task that trains gets another plan.
class RecutsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_old_plan_trains_on_until_all_is_ready();
    void processes_stay_where_a_stage_does();
    void each_stage_begins_with_what_it_inherits();
    void whoever_asked_hears_when_it_has_trained_a_step();
    void moved_cuts_bring_only_what_moves();
    void of_a_snapshot_only_what_its_heirs_need_is_brought();
    void a_part_for_another_task_with_the_same_snapshot_does_not_count();
    void what_is_a_copy_of_the_checkpoint_goes_there_whole();
    void snapshots_travel_as_soon_as_they_are_durable();
    void what_went_early_in_vain_is_not_waited_for();
    void fewer_stages_retire_the_last();
    void a_retired_stage_comes_back_under_another_number();
    void undo_asks_for_the_text_of_before();
    void an_imported_model_s_file_is_brought_to_its_readers();
    void a_fault_right_after_goes_back_to_the_same_checkpoint();
    void a_checkpoint_of_the_new_plan_is_its_own();
    void a_restarted_orchestrator_finishes_it();
    void what_cannot_be_asked_for_is_refused();
    void the_plan_that_it_changes_must_be_in_force();
    void two_at_once_are_refused();
    void a_plan_that_does_not_compile_is_refused();
    void the_same_plan_is_refused();
    void a_node_that_cannot_take_its_stage_is_named_data();
    void a_node_that_cannot_take_its_stage_is_named();
    void without_a_checkpoint_it_is_refused();
    void what_goes_wrong_before_leaves_the_old_plan_data();
    void what_goes_wrong_before_leaves_the_old_plan();
    void a_restart_before_leaves_the_old_plan();
    void stages_that_stand_still_wait_for_nobody();
    void slow_steps_are_waited_for();
    void a_stage_that_only_moves_away_lets_the_others_go_on();
    void a_process_whose_node_was_away_when_it_was_given_up_ends();
};

void RecutsTest::the_old_plan_trains_on_until_all_is_ready() {
    Floor floor;
    const Output asked = floor.ask(Floor::stages(3));
    QCOMPARE(asked.jobs.size(), std::size_t(1));
    const auto& planning = std::get<Planning>(asked.jobs[0].what);
    QCOMPARE(planning.before, plain);
    QCOMPARE(task::parse_task(planning.submission->text, "t")->split.stages, std::int64_t(3));
    const Output planned = floor.plan(asked, Floor::summary("next", {{0}, {0, 1}, {1}}));
    QVERIFY(floor.stops(planned, "a").empty() && floor.stops(planned, "b").empty());
    // Whoever goes on by it compiles it, and c gets a process for the stage between them.
    const std::string text = floor.order(planned, first).text;
    QCOMPARE(task::parse_task(text, "t")->split.cuts, (Hashes{"/cut-1", "/cut-2"}));
    QCOMPARE(floor.order(planned, second).text, text);
    QCOMPARE(floor.starts(planned, "c").at(0).instance, waits);
    QVERIFY(floor.maker.ordered.empty());
    (void)floor.get_ready(planned);
    QCOMPARE(floor.maker.ordered, std::vector<TaskId>{the_task});
    floor.step(4);
    (void)floor.commit(4);  // an older one than was ordered
    QVERIFY(floor.maker.held.empty());
    const Output committed = floor.commit(5);
    QVERIFY(floor.maker.held.contains(the_task));
    // The stage between the two goes to the free node, with what both have.
    QCOMPARE(sent<FetchBlob>(committed, floor.nodes["c"]).size(), std::size_t(2));
    QVERIFY(logged<TaskRecut>(committed).empty());
    floor.step(5);
    QVERIFY(floor.task().generation == 1);

    const Output force = floor.arrive(committed);
    const auto recut = logged<TaskRecut>(force);
    QCOMPARE(recut.size(), std::size_t(1));
    QCOMPARE(recut[0].generation, Generation(2));
    QCOMPARE(recut[0].step, std::int64_t(5));
    QCOMPARE(recut[0].from, std::string("hash"));
    QCOMPARE(recut[0].to, std::string("next"));
    QVERIFY(floor.maker.held.empty());
    QCOMPARE(floor.task().plan_hash, std::string("next"));
    QCOMPARE(floor.task().step, std::int64_t(5));
    QCOMPARE(floor.task().text_before, plain);
    QCOMPARE(task::parse_task(floor.task().text, "t")->split.cuts, (Hashes{"/cut-1", "/cut-2"}));
    QCOMPARE(floor.task().units.size(), std::size_t(3));
    QCOMPARE(floor.task().units[2].instance, third);
}

void RecutsTest::processes_stay_where_a_stage_does() {
    Floor floor;
    const Output force = floor.recut();
    QCOMPARE(floor.starts(force, "a").at(0).instance, first_again);
    QCOMPARE(floor.starts(force, "a").at(0).from, first);
    QVERIFY(floor.stops(force, "a").at(0).keep);
    // The last stage stays on b, under another number.
    QCOMPARE(floor.starts(force, "b").at(0).instance, third);
    QCOMPARE(floor.starts(force, "b").at(0).from, second);
    QVERIFY(floor.stops(force, "b").at(0).keep);
    QCOMPARE(floor.starts(force, "c").at(0).instance, second_again);
    QCOMPARE(floor.starts(force, "c").at(0).from, waits);
    QVERIFY(floor.stops(force, "c").at(0).keep);
    // Each has a lease, and the old ones end.
    for (const InstanceId& id : {first_again, second_again, third}) QVERIFY(floor.leases.held_by(id) != nullptr);
    (void)floor.hear(floor.nodes["a"], InstanceExited{first, 0, 0, ""});
    QVERIFY(floor.leases.held_by(first) == nullptr);
}

void RecutsTest::each_stage_begins_with_what_it_inherits() {
    Floor floor;
    (void)floor.recut();
    const auto restore = [&](const InstanceId& id) {
        return sent<Deploy>(floor.serve(id), floor.instances[id]).at(0).restore;
    };
    QCOMPARE(restore(first_again), (Restore{5, {of_first}}));
    QCOMPARE(restore(second_again), (Restore{5, {of_first, of_second}}));
    QCOMPARE(restore(third), (Restore{5, {of_second}}));
}

void RecutsTest::whoever_asked_hears_when_it_has_trained_a_step() {
    Floor floor;
    floor.begin();
    floor.step(5);
    (void)floor.look();
    const Output committed = floor.commit();
    (void)floor.pass(std::chrono::seconds(1));
    const Output force = floor.arrive(committed);
    QVERIFY(sent<RecutDone>(force, floor.client).empty());
    floor.go_on({first_again, second_again, third});
    (void)floor.pass(std::chrono::seconds(2));
    const auto done = sent<RecutDone>(floor.train_step(third, 6), floor.client);
    QCOMPARE(done.size(), std::size_t(1));
    QCOMPARE(done[0].plan, std::string("next"));
    QCOMPARE(done[0].cuts, (Hashes{"/cut-1", "/cut-2"}));
    QCOMPARE(done[0].generation, Generation(2));
    QCOMPARE(done[0].step, std::int64_t(5));
    QCOMPARE(done[0].again, std::int64_t(0));
    QCOMPARE(done[0].brought, Bytes(20));
    // From the last step of the old plan on: the second before it took force counts too.
    QVERIFY(done[0].stall_ms >= 3000 && done[0].stall_ms < 4000);
    QVERIFY(sent<RecutDone>(floor.train_step(third, 7), floor.client).empty());
}

void RecutsTest::moved_cuts_bring_only_what_moves() {
    Floor floor;
    const Output planned =
        floor.plan(floor.ask({the_task, "hash", {"/cut-1"}}), Floor::summary("moved", {{0, 1}, {1}}));
    QVERIFY(sent<Refused>(planned, floor.client).empty());
    QVERIFY(floor.starts(planned, "c").empty());  // all stages have a process
    (void)floor.get_ready(planned, "moved");
    const Output committed = floor.commit();
    const auto fetches = sent<FetchBlob>(committed, floor.nodes["a"]);
    QCOMPARE(fetches.size(), std::size_t(1));
    QCOMPARE(fetches[0].hash, of_second);
    QVERIFY(sent<FetchBlob>(committed, floor.nodes["b"]).empty());
    const Output force = floor.arrive(committed);
    QCOMPARE(floor.starts(force, "a").at(0).from, first);
    QCOMPARE(floor.starts(force, "b").at(0).from, second);
    QVERIFY(floor.starts(force, "c").empty());
    floor.go_on({first_again, second_again});
}

/// The checkpoint's own copies go to the node of another host.
void RecutsTest::of_a_snapshot_only_what_its_heirs_need_is_brought() {
    Floor floor;
    floor.move_to_another_host("c");
    PlanSummary plan = Floor::summary("moved", {{0, 1}, {1}});
    plan.begins_with = {{"embedding", "w1"}, {"w2"}};
    (void)floor.get_ready(floor.plan(floor.ask({the_task, "hash", {"/cut-1"}}), plan), "moved");
    floor.step(5);
    (void)floor.look();
    const Output committed = floor.commit();
    const auto fetches = sent<FetchBlob>(committed, floor.nodes["a"]);
    QCOMPARE(fetches.size(), std::size_t(1));
    QCOMPARE(fetches[0].hash, of_second);
    QCOMPARE(fetches[0].values, (std::vector<std::string>{"embedding", "w1"}));
    const Output force = floor.tell(floor.nodes["a"], BlobFetched{fetches[0].transfer, 4, {}});
    QCOMPARE(logged<TaskRecut>(force).size(), std::size_t(1));
    floor.go_on({first_again, second_again});
    QCOMPARE(sent<RecutDone>(floor.train_step(second_again, 6), floor.client).at(0).brought, Bytes(4));
}

/// Both are re-cut to the same node at the same time, and of the one snapshot each needs something else there.
void RecutsTest::a_part_for_another_task_with_the_same_snapshot_does_not_count() {
    constexpr std::uint64_t another = 99;
    Floor floor;
    floor.move_to_another_host("c");
    PlanSummary plan = Floor::summary("moved", {{0, 1}, {1}});
    plan.begins_with = {{"embedding", "w1"}, {"w2"}};
    (void)floor.get_ready(floor.plan(floor.ask({the_task, "hash", {"/cut-1"}}), plan), "moved");
    floor.step(5);
    (void)floor.look();
    const auto own = sent<FetchBlob>(floor.commit(), floor.nodes["a"]);
    QCOMPARE(own.size(), std::size_t(1));
    QVERIFY(floor.transfers.bring(of_second, NodeId("b"), NodeId("a"), floor.recuts, {"w9"}, another).ok());
    const auto others = sent<FetchBlob>(floor.take(), floor.nodes["a"]);
    QCOMPARE(others.size(), std::size_t(1));
    QCOMPARE(others[0].values, std::vector<std::string>{"w9"});
    const Output early = floor.tell(floor.nodes["a"], BlobFetched{others[0].transfer, 3, {}});
    QVERIFY(logged<TaskRecut>(early).empty());
    const Output force = floor.tell(floor.nodes["a"], BlobFetched{own[0].transfer, 4, {}});
    QCOMPARE(logged<TaskRecut>(force).size(), std::size_t(1));
    floor.go_on({first_again, second_again});
    QCOMPARE(sent<RecutDone>(floor.train_step(second_again, 6), floor.client).at(0).brought, Bytes(4));
}

/// And where nobody says what is needed.
void RecutsTest::what_is_a_copy_of_the_checkpoint_goes_there_whole() {
    for (const bool is_copied_there : {true, false}) {
        Floor floor;
        if (!is_copied_there) floor.move_to_another_host("c");
        PlanSummary plan = Floor::summary("moved", {{0, 1}, {1}});
        if (is_copied_there) plan.begins_with = {{"embedding", "w1"}, {"w2"}};
        (void)floor.get_ready(floor.plan(floor.ask({the_task, "hash", {"/cut-1"}}), plan), "moved");
        const auto fetches = sent<FetchBlob>(floor.commit(), floor.nodes["a"]);
        QCOMPARE(fetches.size(), std::size_t(1));
        QVERIFY(fetches[0].values.empty());
    }
}

/// Not only when all are, and copied.
void RecutsTest::snapshots_travel_as_soon_as_they_are_durable() {
    Floor floor;
    floor.begin();
    floor.maker.durable = {{sid_of(first), 0, of_first, 10, {NodeId("a")}}};
    const Output early = floor.look();
    const auto fetched = sent<FetchBlob>(early, floor.nodes["c"]);
    QCOMPARE(fetched.size(), std::size_t(1));
    QCOMPARE(fetched[0].hash, of_first);
    QVERIFY(sent<FetchBlob>(floor.look(), floor.nodes["c"]).empty());  // once
    (void)floor.arrive(early);
    const Output committed = floor.commit();
    QCOMPARE(sent<FetchBlob>(committed, floor.nodes["c"]).at(0).hash, of_second);
    QCOMPARE(sent<FetchBlob>(committed, floor.nodes["c"]).size(), std::size_t(1));
    QCOMPARE(logged<TaskRecut>(floor.arrive(committed)).size(), std::size_t(1));
    floor.go_on({first_again, second_again, third});
    QCOMPARE(sent<RecutDone>(floor.train_step(third, 6), floor.client).at(0).brought, Bytes(20));
}

void RecutsTest::what_went_early_in_vain_is_not_waited_for() {
    const std::string too_late(64, '9');
    Floor floor;
    floor.begin();
    // Of a step that other stages had passed, and of which there is no checkpoint; one that is under way, ...
    floor.maker.durable = {{sid_of(first), 0, too_late, 10, {NodeId("a")}}};
    QCOMPARE(sent<FetchBlob>(floor.look(), floor.nodes["c"]).size(), std::size_t(1));
    // ... and one that does not arrive, which is tried again.
    floor.maker.durable = {{sid_of(second), 1, of_second, 10, {NodeId("b")}}};
    const Output early = floor.look();
    const Error differs{ErrorCode::corrupt, "one bit differs", "c", "copy it again"};
    QVERIFY(sent<Refused>(floor.arrive(early, differs), floor.client).empty());
    const Output committed = floor.commit();
    QCOMPARE(sent<FetchBlob>(committed, floor.nodes["c"]).size(), std::size_t(2));
    QCOMPARE(logged<TaskRecut>(floor.arrive(committed)).size(), std::size_t(1));
}

void RecutsTest::fewer_stages_retire_the_last() {
    Floor floor;
    const Output force = floor.recut({{0, 1}});
    QVERIFY(!floor.stops(force, "b").at(0).keep);
    QVERIFY(floor.starts(force, "b").empty());
    QVERIFY(floor.desk.state().instances.at(second).retired);
    QCOMPARE(instances_of(floor.desk.state(), the_task).size(), std::size_t(1));
    // What it says counts no more, and its end is no fault.
    QVERIFY(!sent<Refused>(floor.serve(second), floor.instances[second]).empty());
    (void)floor.hear(floor.nodes["b"], InstanceExited{second, 0, 15, ""});
    QVERIFY(floor.desk.state().instances.at(second).exited);
    QCOMPARE(floor.task().generation, Generation(2));
    // Its node is for others again, and nobody waits for it.
    QCOMPARE(use_of(floor.desk.state()).nodes.count(NodeId("b")), std::size_t(0));
    floor.go_on({first_again});
    (void)floor.lose("b");
    QCOMPARE(floor.task().generation, Generation(2));
    (void)floor.say(first_again, InstanceFinished{{the_task, first_again, 10, "h", "/w", 1, 2}});
    QVERIFY(floor.task().ending && floor.task().ending->outcome == Outcome::succeeded);
    (void)floor.hear(floor.nodes["a"], InstanceExited{first_again, 0, 0, ""});
    QCOMPARE(floor.task().phase, TaskPhase::ended);
}

void RecutsTest::a_retired_stage_comes_back_under_another_number() {
    Floor floor;
    (void)floor.recut({{0, 1}});
    floor.go_on({first_again});
    (void)floor.train_step(first_again, 6);
    floor.maker.next = 8;
    (void)floor.get_ready(floor.plan(floor.ask({the_task, "", {}, 0, true}), Floor::summary("hash", {{0}, {0}})),
                          "hash");
    floor.desk.append(
        CheckpointCommitted{the_task, {2, 8, floor.now, {{sid_of(first), 0, of_second, 10, {NodeId("a")}}}}});
    const Output force = floor.arrive(floor.look());
    QCOMPARE(logged<TaskRecut>(force).size(), std::size_t(1));
    floor.go_on({instance_of(sid_of(first), 3), second_again});
    QCOMPARE(floor.task().generation, Generation(3));
    QCOMPARE(floor.task().plan_hash, std::string("hash"));
}

void RecutsTest::undo_asks_for_the_text_of_before() {
    Floor floor;
    QCOMPARE(floor.refusal(floor.ask({the_task, "", {}, 0, true})).code, ErrorCode::conflict);
    (void)floor.recut();
    floor.go_on({first_again, second_again, third});
    (void)floor.train_step(third, 6);
    const Output asked = floor.ask({the_task, "next", {}, 0, true});
    QCOMPARE(std::get<Planning>(asked.jobs.at(0).what).submission->text, plain);
}

void RecutsTest::an_imported_model_s_file_is_brought_to_its_readers() {
    Floor floor;
    const std::string file(64, 'f');
    PlanSummary plan = Floor::summary("next", {{0}, {0, 1}, {1}});
    plan.weighted = {1};
    plan.weighted_before = {0};
    ClusterState state = floor.desk.state();
    state.tasks.at(the_task).files = {{"weights", "/w.onnx", file, 99, false}};
    state.tasks.at(the_task).nodes = {NodeId("a"), NodeId("b")};
    floor.desk.restore(std::move(state));
    const Output planned = floor.plan(floor.ask(Floor::stages(3)), plan);
    // The file does not change: it is there before anything stands still.
    const auto early = sent<FetchBlob>(planned, floor.nodes["c"]);
    QCOMPARE(early.size(), std::size_t(1));
    QCOMPARE(early[0].hash, file);
    const Output ready = floor.get_ready(planned);
    // The process on c builds its segment from it.
    QVERIFY(sent<PreparePlan>(ready, floor.instances[waits]).empty());
    QVERIFY(floor.maker.ordered.empty());
    floor.prepare(floor.arrive(planned));
    QCOMPARE(floor.maker.ordered.size(), std::size_t(1));
    const Output committed = floor.commit();
    Hashes fetched;
    for (const FetchBlob& fetch : sent<FetchBlob>(committed, floor.nodes["c"])) fetched.push_back(fetch.hash);
    QCOMPARE(fetched, (Hashes{of_first, of_second}));
    (void)floor.arrive(committed);
    QCOMPARE(floor.task().nodes, (std::vector<NodeId>{NodeId("a"), NodeId("c"), NodeId("b")}));
}

void RecutsTest::a_fault_right_after_goes_back_to_the_same_checkpoint() {
    Floor floor;
    (void)floor.recut();
    floor.go_on({first_again, second_again, third});
    const Output died = floor.kill(second_again);
    const auto recovers = logged<TaskRecovers>(died);
    QCOMPARE(recovers.size(), std::size_t(1));
    QCOMPARE(recovers[0].step, std::int64_t(5));
    const InstanceId next = instance_of(sid_of(second), 3);
    QCOMPARE(floor.starts(died, "c").at(0).instance, next);
    const auto restore = sent<Deploy>(floor.serve(next), floor.instances[next]).at(0).restore;
    QCOMPARE(restore, (Restore{5, {of_first, of_second}}));
    // No other node has both: without c it is waited for.
    const Output lost = floor.lose("c");
    QVERIFY(floor.starts(lost, "a").size() == 1 && floor.starts(lost, "b").size() == 1);
}

void RecutsTest::a_checkpoint_of_the_new_plan_is_its_own() {
    Floor floor;
    (void)floor.recut();
    floor.go_on({first_again, second_again, third});
    Checkpoint own{2, 8, floor.now, {}};
    std::int32_t stage = 0;
    for (const char* node : {"a", "c", "b"}) {
        const std::string hash(64, static_cast<char>('4' + stage));
        own.parts.push_back({sid_in(the_task, stage), stage, hash, 10, {NodeId(node)}});
        ++stage;
    }
    floor.desk.append(CheckpointCommitted{the_task, own});
    (void)floor.kill(second_again);
    const InstanceId next = instance_of(sid_of(second), 3);
    QCOMPARE(sent<Deploy>(floor.serve(next), floor.instances[next]).at(0).restore,
             (Restore{8, {std::string(64, '5')}}));
}

void RecutsTest::a_restarted_orchestrator_finishes_it() {
    Floor floor;
    (void)floor.recut({{0, 1}});
    Restarted after(floor);
    QVERIFY(!after.task().ending);
    QCOMPARE(after.task().generation, Generation(2));
    // The retired one is to end; nobody waits for it.
    const Output back = after.join("b", {second});
    QCOMPARE(sent<StopInstance>(back, after.nodes["b"]).at(0).instance, second);
    const auto starts = sent<StartInstance>(after.join("a"), after.nodes["a"]);
    QCOMPARE(starts.size(), std::size_t(1));
    const InstanceId next = starts[0].instance;
    QCOMPARE(sent<Deploy>(after.serve(next), after.instances[next]).at(0).restore, (Restore{5, {of_first, of_second}}));
    (void)after.say(next, InstancePrepared{next, "next", 5, 2});
    QCOMPARE(after.task().phase, TaskPhase::exchange);
}

void RecutsTest::what_cannot_be_asked_for_is_refused() {
    Floor floor;
    QCOMPARE(floor.refusal(floor.ask({TaskId("u-1"), "", {}, 3})).code, ErrorCode::not_found);
    QCOMPARE(floor.refusal(floor.ask({the_task})).code, ErrorCode::invalid_input);
    QCOMPARE(floor.refusal(floor.ask({the_task, "", {"/a"}, 3})).code, ErrorCode::invalid_input);
    floor.desk.append(PhaseChanged{the_task, TaskPhase::exception, "waits"});
    const Error waits = floor.refusal(floor.ask(Floor::stages(3)));
    QCOMPARE(waits.code, ErrorCode::conflict);
    QVERIFY(waits.what.find("does not train now") != std::string::npos);
    Floor batch("[task]\nkind = \"batch\"\n[model]\nonnx = \"m.onnx\"\n[data]\nkind = \"synthetic\"\nsamples = 64\n");
    QCOMPARE(batch.refusal(batch.ask(Floor::stages(3))).code, ErrorCode::unsupported);
}

void RecutsTest::the_plan_that_it_changes_must_be_in_force() {
    Floor floor;
    const Error error = floor.refusal(floor.ask({the_task, "older", {}, 3}));
    QCOMPARE(error.code, ErrorCode::conflict);
    QVERIFY(error.what.find("older") != std::string::npos && error.what.find("hash") != std::string::npos);
    QVERIFY(sent<Refused>(floor.ask({the_task, "hash", {}, 3}), floor.client).empty());
}

void RecutsTest::two_at_once_are_refused() {
    Floor floor;
    const Output asked = floor.ask(Floor::stages(3));
    QCOMPARE(floor.refusal(floor.ask(Floor::stages(1))).code, ErrorCode::conflict);
    // The first one goes its way.
    const Output planned = floor.plan(asked, Floor::summary("next", {{0}, {0, 1}, {1}}));
    QCOMPARE(floor.refusal(floor.ask(Floor::stages(1))).code, ErrorCode::conflict);
    (void)floor.get_ready(planned);
    QCOMPARE(logged<TaskRecut>(floor.arrive(floor.commit())).size(), std::size_t(1));
}

void RecutsTest::a_plan_that_does_not_compile_is_refused() {
    Floor floor;
    const Error why{ErrorCode::invalid_input, "no such cut", "split.cuts", "use one of these"};
    const Output planned = floor.plan(floor.ask({the_task, "", {"/nowhere"}}), why);
    QCOMPARE(floor.refusal(planned).message(), why.message());
    QVERIFY(floor.trains_by_the_old_plan());
    QVERIFY(logged<Noted>(planned).empty());
    QVERIFY(sent<Refused>(floor.ask(Floor::stages(3)), floor.client).empty());  // another one may be asked for
}

void RecutsTest::the_same_plan_is_refused() {
    Floor floor;
    const Output planned = floor.plan(floor.ask(Floor::stages(2)), Floor::summary("hash", {{0}, {1}}));
    QCOMPARE(floor.refusal(planned).code, ErrorCode::conflict);
    QVERIFY(floor.maker.ordered.empty());
}

void RecutsTest::a_node_that_cannot_take_its_stage_is_named_data() {
    QTest::addColumn<QString>("node");
    QTest::addColumn<QString>("what");
    QTest::newRow("unknown") << "z"
                             << "is not ready";
    QTest::newRow("away") << "c"
                          << "is not ready";
    QTest::newRow("too small") << "c"
                               << "has no memory";
}

/// As where blocks are painted, each of which names its node.
void RecutsTest::a_node_that_cannot_take_its_stage_is_named() {
    QFETCH(QString, node);
    QFETCH(QString, what);
    Floor floor;
    const std::string row = QTest::currentDataTag();
    if (row == "away") floor.desk.append(NodeEnded{NodeId("c"), NodeState::away, "silent"});
    if (row == "too small") {
        NodeInfo small = floor.desk.state().nodes.at(NodeId("c")).info;
        small.memory = process_memory - 1;
        floor.desk.append(NodeJoined{small});
    }
    PlanSummary plan = Floor::summary("next", {{0}, {0, 1}, {1}});
    plan.stage_nodes = {"", node.toStdString(), ""};
    const Output planned = floor.plan(floor.ask(Floor::stages(3)), plan);
    const Error error = floor.refusal(planned);
    QCOMPARE(error.code, ErrorCode::unavailable);
    QCOMPARE(error.where, "node " + node.toStdString());
    QVERIFY2(error.what.find(what.toStdString()) != std::string::npos, error.what.c_str());
    QVERIFY(!error.next.empty());
    QVERIFY(floor.trains_by_the_old_plan() && floor.maker.ordered.empty());
    QVERIFY(floor.starts(planned, "c").empty());
    QVERIFY(!floor.recuts.changes(the_task));
}

void RecutsTest::without_a_checkpoint_it_is_refused() {
    Floor floor;
    floor.maker.refusal = Error{ErrorCode::conflict, "the task ends before", "t-1", "wait"};
    const Output planned = floor.plan(floor.ask(Floor::stages(3)), Floor::summary("next", {{0}, {0, 1}, {1}}));
    const Output ready = floor.get_ready(planned);
    QCOMPARE(floor.refusal(ready).what, std::string("the task ends before"));
    QVERIFY(floor.trains_by_the_old_plan());
    // What was started for it ends.
    QVERIFY(!floor.stops(ready, "c").at(0).keep);
    QCOMPARE(floor.state(waits), InstanceState::stopped);
}

void RecutsTest::what_goes_wrong_before_leaves_the_old_plan_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("a transfer fails") << "transfer" << ErrorCode::corrupt;
    QTest::newRow("the free node goes") << "node" << ErrorCode::unavailable;
    QTest::newRow("the process that waits dies") << "standby" << ErrorCode::unavailable;
    QTest::newRow("a stage is away") << "stage" << ErrorCode::unavailable;
    QTest::newRow("its stages cannot stand still") << "stand" << ErrorCode::unavailable;
    QTest::newRow("its checkpoint goes") << "checkpoint" << ErrorCode::unavailable;
    QTest::newRow("it takes too long") << "time" << ErrorCode::deadline;
}

void RecutsTest::what_goes_wrong_before_leaves_the_old_plan() {
    QFETCH(QString, what);
    QFETCH(ErrorCode, code);
    Floor floor;
    floor.begin();
    Output committed;
    if (what != "stand") committed = floor.commit();
    std::optional<Error> error;
    if (what == "transfer") error = Error{ErrorCode::corrupt, "one bit differs", "c", "copy it again"};
    if (what == "checkpoint")
        for (const std::int64_t step : {6, 7})
            floor.desk.append(CheckpointCommitted{the_task, {1, step, floor.now, {}}});
    Output ended;
    if (what == "node") {
        (void)floor.lose("c");
        ended = floor.look();
    } else if (what == "standby") {
        (void)floor.hear(floor.nodes["c"], InstanceExited{waits, 0, 9, ""});
        ended = floor.look();
    } else if (what == "stage") {
        (void)floor.desk.sessions().close(floor.instances[second]);
        ended = floor.look();
    } else if (what == "stand") {
        floor.maker.standing.clear();
        ended = floor.look();
    } else if (what == "time") {
        QVERIFY(floor.recuts.next_deadline().has_value());
        (void)floor.pass(recut_patience + minutes(1));
        ended = floor.look();
    } else {
        ended = floor.arrive(committed, error);
    }
    QCOMPARE(floor.refusal(ended).code, code);
    QVERIFY(!floor.refusal(ended).next.empty());
    QVERIFY(floor.trains_by_the_old_plan());
    QVERIFY(logged<TaskRecut>(ended).empty());
    QVERIFY(!floor.recuts.next_deadline().has_value());
    // It may be asked for again.
    QVERIFY(sent<Refused>(floor.ask(Floor::stages(3)), floor.client).empty());
}

/// Nothing of a re-cut is known to it that had not taken force; what was started for one ends.
void RecutsTest::a_restart_before_leaves_the_old_plan() {
    Floor floor;
    floor.begin();
    (void)floor.commit();
    Restarted after(floor);
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

/// However long snapshots are on their way, the task has not stopped by itself.
void RecutsTest::stages_that_stand_still_wait_for_nobody() {
    const auto report = [](Floor& floor, const InstanceId& id, const std::vector<InstanceId>& awaited) {
        LoadReport said;
        said.load.instance = id;
        said.load.generation = floor.task().generation;
        said.load.waits_for = awaited;
        said.load.waits_ms = awaited.empty() ? 0 : 30'000;
        (void)floor.say(id, said);
    };
    Floor floor;
    floor.begin();
    const Output committed = floor.commit();
    report(floor, first, {});
    report(floor, second, {first});
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
    QCOMPARE(logged<TaskRecut>(floor.arrive(committed)).size(), std::size_t(1));

    // Who goes on afterwards is not measured by how long it stood.
    Floor given_up;
    given_up.begin();
    report(given_up, first, {});
    report(given_up, second, {first});
    given_up.maker.standing.clear();
    (void)given_up.look();
    given_up.runs.say_who_is_awaited();
    QCOMPARE(given_up.task().phase, TaskPhase::exchange);
}

/// Nobody stands still until the step has ended, two of which may take longer than anybody may stand.
void RecutsTest::slow_steps_are_waited_for() {
    Floor floor;
    floor.begin();
    (void)floor.pass(stand_patience + minutes(1));
    QVERIFY(sent<Refused>(floor.look(), floor.client).empty());
    floor.step(5);
    QVERIFY(sent<Refused>(floor.look(), floor.client).empty());
    (void)floor.pass(stand_patience);
    QCOMPARE(floor.refusal(floor.look()).code, ErrorCode::deadline);
}

/// What it was told to do went with its connection, and the others are not to wait for it.
void RecutsTest::a_stage_that_only_moves_away_lets_the_others_go_on() {
    Floor floor;
    floor.begin({{0, 1}});
    QVERIFY(sent<Refused>(floor.look(), floor.client).empty());
    (void)floor.desk.sessions().close(floor.instances[second]);
    const Error error = floor.refusal(floor.look());
    QCOMPARE(error.code, ErrorCode::unavailable);
    QCOMPARE(error.where, second.value());
    QVERIFY(floor.trains_by_the_old_plan());
    // Once its snapshot is in a checkpoint it is not needed any more.
    Floor other;
    other.begin({{0, 1}});
    const Output committed = other.commit();
    (void)other.desk.sessions().close(other.instances[second]);
    QCOMPARE(logged<TaskRecut>(other.arrive(committed)).size(), std::size_t(1));
}

/// Nobody could be told to end it then.
void RecutsTest::a_process_whose_node_was_away_when_it_was_given_up_ends() {
    Floor floor;
    floor.begin();
    const PeerId away = floor.nodes["c"];
    (void)floor.desk.sessions().close(away);
    const Output given_up = floor.look();
    QCOMPARE(floor.refusal(given_up).code, ErrorCode::unavailable);
    QCOMPARE(floor.state(waits), InstanceState::stopped);
    QVERIFY(sent<StopInstance>(given_up, away).empty());
    const auto stops = floor.stops(floor.join("c", {waits}), "c");
    QCOMPARE(stops.size(), std::size_t(1));
    QVERIFY(stops[0].instance == waits && !stops[0].keep);
    (void)floor.hear(floor.nodes["c"], InstanceExited{waits, 0, 15, ""});
    QVERIFY(floor.desk.state().instances.at(waits).exited);
    QVERIFY(floor.trains_by_the_old_plan());
    // One that stands by still is left alone.
    Floor other;
    other.begin();
    (void)other.desk.sessions().close(other.nodes["c"]);
    QVERIFY(other.stops(other.join("c", {waits}), "c").empty());
}

DIVISI_TEST(RecutsTest)

}  // namespace recuts_test

#include "recuts_test.moc"
