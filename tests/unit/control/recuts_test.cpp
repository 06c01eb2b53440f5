// SPDX-License-Identifier: Apache-2.0
#include "backend/control/recuts.h"

#include <QTest>

#include <algorithm>

#include "backend/task/parse.h"
#include "tests/unit/control/runs_floor.h"

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;
using std::chrono::minutes;

namespace {

const std::string plain = "[model]\nzoo = \"mlp\"\n[data]\nkind = \"synthetic\"\nsamples = 64\n[split]\nstages = 2\n";
const std::string of_first(64, '1'), of_second(64, '2');
const InstanceId first_again("t-1/stage-0/0#2"), second_again("t-1/stage-1/0#2"), third("t-1/stage-2/0#1");
const InstanceId waits("t-1/standby/0#1");  ///< a process that is started for the next plan
using Heirs = std::vector<std::vector<std::int32_t>>;
using Hashes = std::vector<std::string>;

/// Orders checkpoints that the tests commit.
struct Maker final : CheckpointMaker {
    std::int64_t next = 5;
    std::optional<Error> refusal;
    std::set<TaskId> held, standing;  ///< no other checkpoint is committed; its stages stand still, or will
    std::vector<TaskId> ordered;
    Result<std::int64_t> order_last(const TaskId& task) override {
        if (refusal) return *refusal;
        ordered.push_back(task);
        standing.insert(task);
        return next;
    }
    std::optional<std::int64_t> last_step(const TaskId& task) const override {
        return standing.contains(task) ? std::optional(next) : std::nullopt;
    }
    void hold(const TaskId& task) override { held.insert(task); }
    void let_go(const TaskId& task) override {
        held.erase(task);
        standing.erase(task);
    }
};

template <typename E>
std::vector<E> logged(const Output& output) {
    std::vector<E> found;
    for (const Event& event : output.events)
        if (const auto* body = std::get_if<E>(&event.body)) found.push_back(*body);
    return found;
}

/// A task of two stages that trains on a and b, a free node c, and an operator.
struct Floor : RunsFloor {
    Deliveries deliveries{desk};
    TaskQueue queue{desk, deliveries, models, kept};
    BlobTransfers transfers{desk, devices};
    Maker maker;
    Output gathered;
    Recuts recuts{desk, models, queue, transfers, maker, runs};
    PeerId client{};

    explicit Floor(const std::string& text = plain) {
        train(0, task::FaultAnswer::recover, text);
        (void)join("c");
        for (const char* name : {"a", "b", "c"}) {
            NodeInfo info = desk.state().nodes.at(NodeId(name)).info;
            info.blob_endpoint = std::string("ipc:///") + name;
            desk.append(NodeJoined{info});
        }
        client = connect("client");
        desk.sessions().at(client).role = Role::operate;
        (void)take();
    }
    template <typename M>
    Output tell(PeerId peer, M message) {
        desk.set_time(now += std::chrono::milliseconds(1));
        const Received received{peer, 7, message};
        if constexpr (requires { recuts.handle(received, message); }) recuts.handle(received, message);
        else transfers.handle(received, message);
        recuts.look();
        return take();
    }
    Output ask(Recut message) { return tell(client, std::move(message)); }
    static Recut stages(std::int32_t number) { return {the_task, "", {}, number}; }

    /// What the job that was begun last makes of it.
    Output plan(const Output& asked, const Result<PlanSummary>& summary) {
        if (asked.jobs.empty()) qFatal("nothing is planned");
        const auto whose = desk.jobs().close(asked.jobs.back().id);
        if (!whose || whose->recut != the_task) qFatal("it is planned for somebody else");
        recuts.planned(*whose, summary);
        recuts.look();
        return take();
    }
    static PlanSummary summary(const std::string& hash, const Heirs& inherits) {
        PlanSummary plan;
        plan.name = "t";
        plan.answer = task::FaultAnswer::recover;
        plan.steps = 10;
        plan.threads = 3;
        plan.plan_hash = hash;
        plan.stages = static_cast<std::int32_t>(inherits.size());
        plan.inherits = inherits;
        for (std::int32_t stage = 0; stage < plan.stages; ++stage) {
            if (stage > 0) plan.cuts.push_back("/cut-" + std::to_string(stage));
            plan.units.push_back({{Sid("task/stage-" + std::to_string(stage) + "/forward"), "forward", {}, {}}, stage});
        }
        return plan;
    }
    /// All processes of the next plan get ready: those that start stand by, and all that are told to prepare it do.
    Output get_ready(const Output& accepted, const std::string& hash = "next") {
        prepare(accepted, hash);
        for (const Send& one : accepted.sends) {
            const auto* begins = std::get_if<StartInstance>(&one.message);
            if (!begins) continue;
            add(serve(begins->instance));
            add(say(begins->instance, InstancePrepared{begins->instance, hash, -1, task().generation}));
            const Output told = look();
            add(told);
            prepare(told, hash);
        }
        add(look());
        return std::exchange(gathered, {});
    }
    /// Whoever is told there to prepare the plan has.
    void prepare(const Output& told, const std::string& hash = "next") {
        for (const Send& one : told.sends)
            if (const auto* order = std::get_if<PreparePlan>(&one.message))
                add(tell(one.peer, PlanPrepared{the_task, order->instance, hash, {}, order->order}));
    }
    /// What this instance is told to prepare.
    PreparePlan order(const Output& output, const InstanceId& id) {
        const auto orders = sent<PreparePlan>(output, instances[id]);
        if (orders.size() != 1) qFatal("%zu orders", orders.size());
        return orders[0];
    }
    void add(const Output& more) {
        gathered.events.insert(gathered.events.end(), more.events.begin(), more.events.end());
        gathered.sends.insert(gathered.sends.end(), more.sends.begin(), more.sends.end());
    }
    /// Asked for, planned, accepted and prepared: the task is to have three stages.
    void begin(const Heirs& inherits = {{0}, {0, 1}, {1}}) {
        const Output planned = plan(ask(stages(static_cast<std::int32_t>(inherits.size()))), summary("next", inherits));
        if (!sent<Refused>(planned, client).empty()) qFatal("the new plan is not accepted");
        (void)get_ready(planned);
        if (maker.ordered.empty()) qFatal("the stages are not to stand still");
    }
    Output commit(std::int64_t step = 5) {
        desk.set_time(now += std::chrono::milliseconds(1));
        desk.append(CheckpointCommitted{
            the_task,
            {task().generation,
             step,
             now,
             {{sid_of(first), 0, of_first, 10, {NodeId("a")}}, {sid_of(second), 1, of_second, 10, {NodeId("b")}}}}});
        recuts.look();
        return take();
    }
    /// All transfers end well, or as they are said to.
    Output arrive(const Output& ordered, std::optional<Error> error = {}) {
        Output all;
        for (const Send& one : ordered.sends) {
            const auto* fetch = std::get_if<FetchBlob>(&one.message);
            if (!fetch) continue;
            Output next = tell(one.peer, BlobFetched{fetch->transfer, 10, error});
            all.events.insert(all.events.end(), next.events.begin(), next.events.end());
            all.sends.insert(all.sends.end(), next.sends.begin(), next.sends.end());
        }
        return all;
    }
    /// From asking to its taking force after step 5.
    Output recut(const Heirs& inherits = {{0}, {0, 1}, {1}}) {
        begin(inherits);
        Output committed = commit();
        if (!logged<TaskRecut>(committed).empty()) return committed;
        return arrive(committed);
    }
    /// These instances come, load and train.
    void go_on(const std::vector<InstanceId>& all) {
        for (const InstanceId& id : all) (void)serve(id);
        for (const InstanceId& id : all) (void)say(id, InstancePrepared{id, task().plan_hash, 5, task().generation});
        if (task().phase != TaskPhase::exchange) qFatal("the new plan does not begin");
    }
    Output train_step(const InstanceId& id, std::int64_t number) {
        StepRecord record;
        record.step = number;
        record.generation = task().generation;
        Output output = say(id, StepReport{the_task, id, record});
        recuts.look();
        Output more = take();
        output.sends.insert(output.sends.end(), more.sends.begin(), more.sends.end());
        return output;
    }
    Output look() {
        recuts.look();
        return take();
    }
    std::vector<StartInstance> starts(const Output& output, const std::string& node) {
        return sent<StartInstance>(output, nodes[node]);
    }
    std::vector<StopInstance> stops(const Output& output, const std::string& node) {
        return sent<StopInstance>(output, nodes[node]);
    }
    Error refusal(const Output& output) {
        const auto refused = sent<Refused>(output, client);
        if (refused.size() != 1) qFatal("%zu refusals", refused.size());
        return refused[0].error;
    }
    bool trains_by_the_old_plan() const {
        return task().generation == 1 && task().plan_hash == "hash" && task().phase == TaskPhase::exchange &&
               maker.held.empty() && maker.standing.empty();
    }
};

}  // namespace

/// A task that trains gets another plan.
class RecutsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_old_plan_trains_on_until_all_is_ready();
    void processes_stay_where_a_stage_does();
    void each_stage_begins_with_what_it_inherits();
    void whoever_asked_hears_when_it_has_trained_a_step();
    void moved_cuts_bring_only_what_moves();
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
    void without_a_checkpoint_it_is_refused();
    void what_goes_wrong_before_leaves_the_old_plan_data();
    void what_goes_wrong_before_leaves_the_old_plan();
    void what_cannot_be_prepared_leaves_the_old_plan_data();
    void what_cannot_be_prepared_leaves_the_old_plan();
    void who_alone_has_the_operators_of_a_stage_keeps_it();
    void a_ready_standby_plays_the_new_stage();
    void a_restart_before_leaves_the_old_plan();
    void stages_that_stand_still_wait_for_nobody();
    void a_data_instance_that_was_away_is_not_waited_for();
    void slow_steps_are_waited_for();
    void a_late_word_of_a_plan_that_was_given_up_is_passed_over();
    void segments_are_built_before_anybody_stands_still();
    void a_node_without_memory_for_two_builds_none_ahead();
    void a_stage_that_only_moves_away_lets_the_others_go_on();
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

void RecutsTest::what_cannot_be_prepared_leaves_the_old_plan_data() {
    QTest::addColumn<std::optional<Error>>("error");
    QTest::addColumn<QString>("hash");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("it does not compile there")
        << std::optional(Error{ErrorCode::exhausted, "no memory", "", "free some"}) << "" << ErrorCode::exhausted;
    QTest::newRow("it compiles to another") << std::optional<Error>() << "other" << ErrorCode::conflict;
}

void RecutsTest::what_cannot_be_prepared_leaves_the_old_plan() {
    QFETCH(std::optional<Error>, error);
    QFETCH(QString, hash);
    QFETCH(ErrorCode, code);
    Floor floor;
    const Output planned = floor.plan(floor.ask(Floor::stages(3)), Floor::summary("next", {{0}, {0, 1}, {1}}));
    const std::uint64_t order = floor.order(planned, second).order;
    const Output told =
        floor.tell(floor.instances[second], PlanPrepared{the_task, second, hash.toStdString(), error, order});
    QCOMPARE(floor.refusal(told).code, code);
    QVERIFY(floor.trains_by_the_old_plan() && floor.maker.ordered.empty());
    QVERIFY(!floor.stops(told, "c").at(0).keep);
}

/// It may go on with what it has in memory, whatever number the stage has; the other one gets a process, which compiles
/// the next plan from the beginning.
void RecutsTest::who_alone_has_the_operators_of_a_stage_keeps_it() {
    Floor floor;
    NextPlan next;
    next.plan = Floor::summary("next", {{0, 1}, {0}});
    next.text = "the next text";
    next.origins = {{NodeId("a"), {0, 1}}, {NodeId("a"), {0}}};
    QCOMPARE(floor.runs.prepare_recut(the_task, next), (std::vector<InstanceId>{waits, first}));
    QCOMPARE(floor.starts(floor.take(), "a").at(0).instance, waits);
    const auto deploy = sent<Deploy>(floor.serve(waits), floor.instances[waits]).at(0);
    QCOMPARE(deploy.text, std::string("the next text"));
    QCOMPARE(deploy.plan_hash, std::string("next"));
    QCOMPARE(deploy.stage, standby_stage);
    (void)floor.say(waits, InstancePrepared{waits, "next", -1, 1});
    QCOMPARE(floor.state(waits), InstanceState::standby);
    floor.runs.give_up_recut(the_task);
    QVERIFY(!floor.stops(floor.take(), "a").at(0).keep);
    QCOMPARE(floor.state(waits), InstanceState::stopped);
}

/// A process that the task file asks for has only to compile.
void RecutsTest::a_ready_standby_plays_the_new_stage() {
    Floor floor(plain + "[place]\nstandby = 1\n");
    Output come = floor.pass(std::chrono::seconds(2));
    if (sent<StartInstance>(come, floor.nodes["c"]).empty()) qFatal("no standby is started on c");
    (void)floor.serve(waits);
    (void)floor.say(waits, InstancePrepared{waits, "hash", -1, 1});
    const Output planned = floor.plan(floor.ask(Floor::stages(3)), Floor::summary("next", {{0}, {0, 1}, {1}}));
    QVERIFY(floor.starts(planned, "c").empty());
    QCOMPARE(sent<PreparePlan>(planned, floor.instances[waits]).size(), std::size_t(1));
    (void)floor.get_ready(planned);
    const Output force = floor.arrive(floor.commit());
    QCOMPARE(floor.starts(force, "c").at(0).from, waits);
    floor.go_on({first_again, second_again, third});
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

/// Its word that it has compiled the plan may have gone with its connection, and is not said again.
void RecutsTest::a_data_instance_that_was_away_is_not_waited_for() {
    Floor floor;
    floor.desk.append(InstancePlaced{the_task, data_0, sid_of(data_0), NodeId("b"), dealt_stage, 1});
    (void)floor.RunsFloor::arrive(data_0);
    const Output planned = floor.plan(floor.ask(Floor::stages(2)), Floor::summary("next", {{0}, {1}}));
    QCOMPARE(sent<PreparePlan>(planned, floor.instances[data_0]).size(), std::size_t(1));
    (void)floor.desk.sessions().close(floor.instances[data_0]);
    (void)floor.look();
    (void)floor.serve(data_0, InstanceState::running);
    floor.prepare(planned);  // its own is not heard
    QCOMPARE(floor.maker.ordered, std::vector<TaskId>{the_task});
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

/// It compiled on while another re-cut was asked for; that it failed says nothing of that one either.
void RecutsTest::a_late_word_of_a_plan_that_was_given_up_is_passed_over() {
    Floor floor;
    const Output before = floor.plan(floor.ask(Floor::stages(3)), Floor::summary("next", {{0}, {0, 1}, {1}}));
    const std::uint64_t old = floor.order(before, first).order;
    const Error full{ErrorCode::exhausted, "no memory", "", "free some"};
    const Output given_up = floor.tell(floor.instances[second], PlanPrepared{the_task, second, "", full, old});
    QCOMPARE(floor.refusal(given_up).code, ErrorCode::exhausted);
    // Both are to forget what they have of it.
    for (const InstanceId& id : {first, second}) {
        QCOMPARE(floor.order(given_up, id).text, plain);
        QVERIFY(floor.order(given_up, id).stage < 0);
    }
    const Output planned = floor.plan(floor.ask(Floor::stages(2)), Floor::summary("later", {{0}, {1}}));
    const std::uint64_t now = floor.order(planned, first).order;
    QVERIFY(now > floor.order(given_up, first).order);
    for (const std::uint64_t order : {old, floor.order(given_up, first).order})
        for (const std::optional<Error>& error : {std::optional<Error>(), std::optional(full)}) {
            const Output late = floor.tell(floor.instances[first], PlanPrepared{the_task, first, "next", error, order});
            QVERIFY(sent<Refused>(late, floor.client).empty());
        }
    (void)floor.tell(floor.instances[second], PlanPrepared{the_task, second, "later", {}, now});
    QVERIFY(floor.maker.ordered.empty());  // the first has not compiled it yet
    (void)floor.tell(floor.instances[first], PlanPrepared{the_task, first, "later", {}, now});
    QCOMPARE(floor.maker.ordered, std::vector<TaskId>{the_task});
}

/// Each builds the segment that it is to play; one that starts for it, once it stands by.
void RecutsTest::segments_are_built_before_anybody_stands_still() {
    Floor floor;
    const Output planned = floor.plan(floor.ask(Floor::stages(3)), Floor::summary("next", {{0}, {0, 1}, {1}}));
    QCOMPARE(floor.order(planned, first).stage, 0);
    QCOMPARE(floor.order(planned, second).stage, 2);
    floor.prepare(planned);
    (void)floor.serve(waits);
    QVERIFY(sent<PreparePlan>(floor.look(), floor.instances[waits]).empty());
    (void)floor.say(waits, InstancePrepared{waits, "next", -1, 1});
    const Output stands_by = floor.look();
    QCOMPARE(floor.order(stands_by, waits).stage, 1);
    QVERIFY(floor.maker.ordered.empty());
    floor.prepare(stands_by);
    QCOMPARE(floor.maker.ordered, std::vector<TaskId>{the_task});
}

/// For a while its process has two; one that stands by has none yet.
void RecutsTest::a_node_without_memory_for_two_builds_none_ahead() {
    constexpr Bytes size = Bytes{1} << 30;
    for (const Bytes memory : {size, 4 * size}) {
        Floor floor;
        ClusterState state = floor.desk.state();
        for (const char* name : {"a", "b", "c"}) state.nodes.at(NodeId(name)).info.memory = memory;
        PlanSummary plan = Floor::summary("next", {{0}, {0, 1}, {1}});
        plan.memory = state.tasks.at(the_task).memory = size - process_memory;
        floor.desk.restore(std::move(state));
        const Output planned = floor.plan(floor.ask(Floor::stages(3)), plan);
        QCOMPARE(floor.order(planned, first).stage, memory == size ? -1 : 0);
        QCOMPARE(floor.order(planned, second).stage, memory == size ? -1 : 2);
        (void)floor.serve(waits);
        (void)floor.say(waits, InstancePrepared{waits, "next", -1, 1});
        QCOMPARE(floor.order(floor.look(), waits).stage, 1);
    }
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

QTEST_GUILESS_MAIN(RecutsTest)
#include "recuts_test.moc"
