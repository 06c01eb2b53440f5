// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/drains.h"

#include "backend/control/state/drain_state.h"
#include "tests/support/task_file.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/runs_fixture.h"

namespace drains_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

testing::TaskFile two_stages() { return testing::TaskFile().drop_section("train").set("split.stages", 2); }
/// Returns a task that reads its data on a node.
testing::TaskFile reads_on_its_node() {
    return two_stages()
        .section("model", {{"inputs", 1}, {"classes", 2}})
        .replace("data", {{"kind", "csv"}, {"path", "node:/d.csv"}, {"targets", {"y"}}});
}
const std::string plain = two_stages().text();
const std::string of_first(64, '1'), of_second(64, '2');
const InstanceId first_again("t-1/stage-0/0#2"), second_again("t-1/stage-1/0#2");
const InstanceId waits("t-1/standby/0#1");
using Nodes = std::vector<NodeId>;

/// Orders checkpoints that the tests commit.
struct Maker final : CheckpointMaker {
    std::optional<Error> refusal;
    Result<std::int64_t> order_last(const TaskId&) override {
        if (refusal) return *refusal;
        return 5;
    }
    std::optional<std::int64_t> last_step(const TaskId&) const override { return 5; }
    std::vector<SegmentSnapshot> taken(const TaskId&) const override { return {}; }
    void hold(const TaskId&) override {}
    void let_go(const TaskId&) override {}
};

template <typename E>
std::vector<E> logged(const Output& output) {
    std::vector<E> found;
    for (const Event& event : output.events)
        if (const auto* body = get_if<E>(&event.body)) found.push_back(*body);
    return found;
}

/// A fixture with a task of two stages that trains on a and b, a free node c, and an operator.
struct Fixture : RunsFixture {
    Deliveries deliveries{context};
    TaskQueue queue{context, deliveries, models, kept};
    BlobTransfers transfers{context, devices};
    Maker maker;
    Recuts recuts{context, models, queue, transfers, maker, runs.recovery(), runs.fitness()};
    Drains drains{context, queue, recuts, runs.data(), runs.fitness()};
    PeerId client{};

    /// Restores the fixture from a log, as after a crash before anyone has reconnected.
    explicit Fixture(std::vector<Event> before) : RunsFixture(std::move(before)) {
        follow();
        context.append(ClusterStarted{"test", "1", {}});
        leases.adopt();
        runs.adopt(false);
        drains.adopt();
        come();
    }
    explicit Fixture(const std::string& text = plain, bool with_data = false) {
        follow();
        if (with_data) train_with_data(2, text, {}, task::FaultAnswer::recover);
        else train(0, task::FaultAnswer::recover, text);
        (void)join("c");
        keep_blobs();
        come();
    }
    void follow() {
        context.follow([this](const Event& event) {
            leases.follow(event);
            runs.follow(event);
            drains.follow(event);
        });
    }
    void come() {
        client = connect("client");
        context.sessions().at(client).role = Role::operate;
        (void)take();
    }
    void keep_blobs() {
        for (const char* name : {"a", "b", "c"})
            change(name, [&](NodeInfo& info) { info.blob_endpoint = "ipc:///" + std::string(name); });
    }
    template <typename Change>
    void change(const std::string& name, const Change& what) {
        NodeInfo info = context.state().nodes.at(NodeId(name)).info;
        what(info);
        context.append(NodeJoined{info});
    }
    Output poll() {
        recuts.poll();
        drains.poll();
        return take();
    }
    Output drain(const std::string& name, bool undo = false) {
        context.set_time(now += std::chrono::milliseconds(1));
        const DrainNode message{NodeId(name), undo};
        drains.handle(Received{client, 7, message}, message);
        return poll();
    }
    /// Returns the error of a refused drain. Checks that the refusal has changed nothing.
    Error refusal(const std::string& name, bool undo = false) {
        const Output output = drain(name, undo);
        const auto refused = sent<Refused>(output, client);
        if (refused.size() != 1) qFatal("%zu refusals", refused.size());
        if (!output.events.empty() || !output.jobs.empty()) qFatal("the refused drain has changed something");
        return refused[0].error;
    }
    bool drains_well(const std::string& name) { return sent<Done>(drain(name), client).size() == 1; }
    /// Completes the job that was started last; its result is a plan.
    Output plan(const Output& asked, const std::string& hash = "hash") {
        if (asked.jobs.empty()) qFatal("no planning job was started");
        const auto whose = context.jobs().close(asked.jobs.back().id);
        if (!whose || whose->recut != the_task) qFatal("the planning job is for another task");
        PlanSummary plan;
        plan.name = "t";
        plan.answer = task::FaultAnswer::recover;
        plan.steps = 10;
        plan.threads = 3;
        plan.plan_hash = hash;
        plan.stages = 2;
        plan.inherits = {{0}, {1}};
        recuts.planned(*whose, plan);
        Output planned = poll();
        Output ready = stand_by(planned);
        planned.events.insert(planned.events.end(), ready.events.begin(), ready.events.end());
        planned.sends.insert(planned.sends.end(), ready.sends.begin(), ready.sends.end());
        return planned;
    }
    /// Makes the processes that were started for the moving stages ready, and reports that they have compiled the new
    /// plan.
    Output stand_by(const Output& planned) {
        for (const Send& one : planned.sends) {
            const auto* start = get_if<StartInstance>(&one.message);
            if (!start) continue;
            (void)serve(start->instance);
            (void)say(start->instance, InstancePrepared{start->instance, "hash", -1, task().generation});
        }
        for (const Send& one : poll().sends) {
            const auto* order = get_if<PreparePlan>(&one.message);
            if (!order) continue;
            const PlanPrepared message{the_task, order->instance, "hash", {}, order->order};
            recuts.handle(Received{one.peer, 1, message}, message);
        }
        return poll();
    }
    Output commit() {
        context.append(CheckpointCommitted{
            the_task,
            {task().generation,
             5,
             now,
             {{sid_of(first), 0, of_first, 10, {NodeId("a")}}, {sid_of(second), 1, of_second, 10, {NodeId("b")}}}}});
        return poll();
    }
    using RunsFixture::arrive;
    /// Ends the ordered transfers of snapshots.
    Output arrive(const Output& ordered) {
        Output all;
        for (const Send& one : ordered.sends) {
            const auto* fetch = get_if<FetchBlob>(&one.message);
            if (!fetch) continue;
            const BlobFetched message{fetch->transfer, 10, {}};
            transfers.handle(Received{one.peer, 1, message}, message);
            all = poll();
        }
        return all;
    }
    /// Lets both stages register, load and train a step.
    void go_on() {
        for (const InstanceId& id : {first_again, second_again}) (void)serve(id);
        for (const InstanceId& id : {first_again, second_again})
            (void)say(id, InstancePrepared{id, task().plan_hash, 5, task().generation});
        StepRecord record;
        record.step = 6;
        record.generation = task().generation;
        (void)say(second_again, StepReport{the_task, second_again, record});
    }
    DrainState state_of(const std::string& name) const { return drain_state(context.state(), NodeId(name)); }
    Output wait(Duration time) {
        (void)pass(time);
        return poll();
    }
};

std::vector<Noted> warnings(const Output& output) {
    auto notes = logged<Noted>(output);
    std::erase_if(notes, [](const Noted& note) { return note.severity < Severity::warning; });
    return notes;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

/// Tests nodes that are drained while tasks train.
class DrainsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stage_moves_and_the_node_is_drained();
    void drained_node_gets_nothing_until_the_drain_is_undone();
    void drain_resumes_after_a_restart();
    void failed_move_is_retried();
    void move_to_a_changed_plan_is_refused();
    void batch_task_finishes_on_a_draining_node();
    void lost_node_is_retired();
    void drain_of_an_unknown_absent_or_only_node_is_refused();
    void drain_without_room_elsewhere_is_refused();
    void no_stage_moves_to_a_node_where_it_failed_before();
    void drain_is_refused_if_a_task_reads_files_of_the_node();
    void data_instances_move_one_after_another();
    void single_data_instance_moves_too();
    void drain_is_refused_if_the_data_is_readable_only_there();
    void stage_follows_its_data_to_another_node();
    void unwanted_data_instance_does_not_block_a_drain();
};

void DrainsTest::stage_moves_and_the_node_is_drained() {
    Fixture fixture;
    const Output asked = fixture.drain("b");
    QCOMPARE(sent<Done>(asked, fixture.client).size(), std::size_t(1));
    const auto& planning = get<Planning>(asked.jobs.at(0).what);
    QCOMPARE(planning.submission->text, plain);
    QCOMPARE(planning.before, plain);
    QCOMPARE(fixture.state_of("b"), DrainState::draining);
    const Output planned = fixture.plan(asked);
    QCOMPARE(planned.sends.size(), std::size_t(1));  // a process is started on c
    const auto started = sent<StartInstance>(planned, fixture.nodes["c"]);
    QCOMPARE(started.at(0).instance, waits);
    const Output committed = fixture.commit();
    QCOMPARE(sent<FetchBlob>(committed, fixture.nodes["c"]).at(0).hash, of_second);
    const Output force = fixture.arrive(committed);
    const auto recut = logged<TaskRecut>(force);
    QCOMPARE(recut.size(), std::size_t(1));
    QCOMPARE(recut[0].from, recut[0].to);
    QVERIFY(recut[0].origins == (std::vector<StageOrigin>{{NodeId("a"), {0}}, {NodeId("c"), {1}}}));
    QVERIFY(has(describe(Event::Body(recut[0])), "its stages are on a, c"));
    QCOMPARE(fixture.task().text, plain);
    QVERIFY(fixture.task().text_before.empty());  // there is no previous plan to return to
    QCOMPARE(sent<StartInstance>(force, fixture.nodes["a"]).at(0).from, first);
    QCOMPARE(sent<StartInstance>(force, fixture.nodes["c"]).at(0).instance, second_again);
    QCOMPARE(sent<StartInstance>(force, fixture.nodes["c"]).at(0).from, waits);
    QVERIFY(!sent<StopInstance>(force, fixture.nodes["b"]).at(0).keep);
    fixture.go_on();
    QVERIFY(logged<Noted>(fixture.poll()).empty());
    (void)fixture.hear(fixture.nodes["b"], InstanceExited{second, 0, 15, ""});
    const auto notes = logged<Noted>(fixture.poll());
    QCOMPARE(notes.size(), std::size_t(1));
    QCOMPARE(notes[0].text, std::string("node b is drained: nothing runs there"));
    QCOMPARE(fixture.state_of("b"), DrainState::drained);
    QCOMPARE(fixture.task().generation, Generation(2));
    QVERIFY(fixture.wait(2 * drain_retry).events.empty());
}

void DrainsTest::drained_node_gets_nothing_until_the_drain_is_undone() {
    Fixture fixture;
    QVERIFY(fixture.drains_well("c"));
    QCOMPARE(fixture.state_of("c"), DrainState::drained);
    QVERIFY(fixture.drains_well("c"));  // the node is already drained
    const auto in_turn = [&] {
        return Vacancies(fixture.context.state(), use_of(fixture.context.state())).in_turn(PlanSummary{}, {}, 9);
    };
    QVERIFY(std::ranges::count(in_turn(), NodeId("c")) == 0);
    fixture.change("c", [](NodeInfo&) {});  // the node reconnects
    QCOMPARE(fixture.state_of("c"), DrainState::drained);
    const auto undone = logged<DrainChanged>(fixture.drain("c", true));
    QVERIFY(undone.size() == 1 && !undone[0].drains);
    QCOMPARE(fixture.state_of("c"), DrainState::none);
    QVERIFY(std::ranges::count(in_turn(), NodeId("c")) == 1);
    QCOMPARE(fixture.refusal("c", true).code, ErrorCode::conflict);
}

void DrainsTest::drain_resumes_after_a_restart() {
    Fixture fixture;
    (void)fixture.drain("b");
    Fixture after(fixture.log);
    QCOMPARE(after.state_of("b"), DrainState::draining);
    QVERIFY(after.poll().jobs.empty());  // the task's nodes have not reconnected yet
    (void)after.join("a", {first});
    (void)after.join("c");
    (void)after.join("b", {second});
    after.keep_blobs();
    for (const InstanceId& id : {first, second}) (void)after.serve(id, InstanceState::running);
    const Output asked = after.poll();
    QCOMPARE(asked.jobs.size(), std::size_t(1));
    QVERIFY(holds_alternative<Planning>(asked.jobs[0].what));
}

void DrainsTest::failed_move_is_retried() {
    Fixture fixture;
    fixture.maker.refusal = Error{ErrorCode::unavailable, "a stage is away", "t-1", "wait for it"};
    const auto told = warnings(fixture.plan(fixture.drain("b")));
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY(has(told[0].text, "a stage is away"));
    QVERIFY(fixture.wait(drain_retry / 2).jobs.empty());
    const Output again = fixture.wait(drain_retry);
    QCOMPARE(again.jobs.size(), std::size_t(1));
    QVERIFY(warnings(fixture.plan(again)).empty());  // the same reason is logged once
    QVERIFY(fixture.drains.next_deadline().has_value());
    fixture.maker.refusal.reset();
    (void)fixture.plan(fixture.wait(2 * drain_retry));
    QCOMPARE(logged<TaskRecut>(fixture.arrive(fixture.commit())).size(), std::size_t(1));
}

void DrainsTest::move_to_a_changed_plan_is_refused() {
    Fixture fixture;
    const auto told = logged<Noted>(fixture.plan(fixture.drain("b"), "other"));
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY(has(told[0].text, "another plan"));
    QCOMPARE(fixture.task().generation, Generation(1));
}

void DrainsTest::batch_task_finishes_on_a_draining_node() {
    Fixture fixture(testing::TaskFile().batch({"onnx", "m.onnx"}).text());
    const Output output = fixture.drain("b");
    QCOMPARE(sent<Done>(output, fixture.client).size(), std::size_t(1));
    QVERIFY(output.jobs.empty());
    QCOMPARE(fixture.state_of("b"), DrainState::draining);
    QVERIFY(logged<Noted>(output).empty());
}

void DrainsTest::lost_node_is_retired() {
    Fixture fixture;
    fixture.context.append(NodeEnded{NodeId("c"), NodeState::lost, "silent"});
    (void)fixture.take();
    const Output output = fixture.drain("c");
    QCOMPARE(sent<Done>(output, fixture.client).size(), std::size_t(1));
    QCOMPARE(logged<DrainChanged>(output).size(), std::size_t(1));
    QCOMPARE(fixture.state_of("c"), DrainState::drained);
    QVERIFY(output.jobs.empty());
    // the machine is repaired and its node reconnects; the node gets no instances until the drain is undone
    fixture.change("c", [](NodeInfo&) {});
    QCOMPARE(fixture.state_of("c"), DrainState::drained);
    QCOMPARE(logged<DrainChanged>(fixture.drain("c", true)).size(), std::size_t(1));
    // A lost node cannot be drained if a task waits for it ([faults] answer = "wait"): the task's instances start there
    // once the node is back.
    fixture.context.append(NodeEnded{NodeId("b"), NodeState::lost, "silent"});
    (void)fixture.take();
    const Error missed = fixture.refusal("b");
    QCOMPARE(missed.code, ErrorCode::conflict);
    QVERIFY(has(missed.what, "task t-1 waits for the node") && !missed.next.empty());
}

void DrainsTest::drain_of_an_unknown_absent_or_only_node_is_refused() {
    Fixture fixture;
    const Error unknown = fixture.refusal("z");
    QCOMPARE(unknown.code, ErrorCode::not_found);
    QCOMPARE(unknown.where, std::string("node z"));
    QCOMPARE(fixture.refusal("c", true).code, ErrorCode::conflict);
    fixture.context.append(NodeEnded{NodeId("c"), NodeState::away, "silent"});
    (void)fixture.take();
    const Error away = fixture.refusal("c");
    QCOMPARE(away.code, ErrorCode::unavailable);
    QVERIFY(has(away.what, "away") && !away.next.empty());
    fixture.context.append(NodeEnded{NodeId("b"), NodeState::away, "silent"});
    (void)fixture.take();
    const Error only = fixture.refusal("a");
    QVERIFY(has(only.what, "only node") && !only.next.empty());
    // A drained node takes over no stage.
    Fixture other;
    QVERIFY(other.drains_well("c"));
    QVERIFY(other.drains_well("b"));
    (void)other.take();
    QVERIFY(has(other.refusal("a").what, "only node"));
}

void DrainsTest::drain_without_room_elsewhere_is_refused() {
    Fixture fixture;
    Reservation kept;
    kept.number = 1;
    kept.nodes = {"c"};
    kept.submitter = "bob";
    kept.from = fixture.now;
    kept.until = fixture.now + std::chrono::hours(1);
    fixture.context.append(ReservationMade{kept});
    fixture.change("a", [](NodeInfo& info) { info.memory = process_memory; });
    (void)fixture.take();
    const Error room = fixture.refusal("b");
    QCOMPARE(room.code, ErrorCode::unavailable);
    QCOMPARE(room.where, std::string("node b"));
    for (const char* part : {"stage 1 of task t-1", "a has no memory", "keeps a node for bob"})
        QVERIFY2(has(room.what, part), room.what.c_str());
    QCOMPARE(fixture.task().generation, Generation(1));
    // If a has enough memory, two stages share that node.
    fixture.change("a", [](NodeInfo& info) { info.memory = 4 * process_memory; });
    QVERIFY(fixture.drains_well("b"));
    // A stage on a secure node moves only to another secure node.
    Fixture guarded;
    guarded.change("b", [](NodeInfo& info) { info.secure = true; });
    (void)guarded.take();
    QVERIFY(has(guarded.refusal("b").what, "is not secure"));
    guarded.change("c", [](NodeInfo& info) { info.secure = true; });
    QVERIFY(guarded.drains_well("b"));
}

/// An agent could not start a stage on b. If the move to b were tried again and again, the task would never leave the
/// drained node.
void DrainsTest::no_stage_moves_to_a_node_where_it_failed_before() {
    Fixture fixture;
    const Error why{ErrorCode::failed, "the process could not be started", "b", "see its log"};
    (void)fixture.hear(fixture.nodes["b"], InstanceFailed{second, why});
    (void)fixture.hear(fixture.nodes["b"], InstanceExited{second, 0, 15, ""});
    QCOMPARE(fixture.context.state().instances.at(second_again).node, NodeId("c"));
    for (const InstanceId& id : {first_again, second_again}) (void)fixture.serve(id);
    for (const InstanceId& id : {first_again, second_again})
        (void)fixture.say(id, InstancePrepared{id, "hash", 5, Generation(2)});
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
    // b cannot take the stage that leaves c.
    fixture.change("a", [](NodeInfo& info) { info.memory = process_memory; });
    (void)fixture.take();
    const Error room = fixture.refusal("c");
    QCOMPARE(room.code, ErrorCode::unavailable);
    QVERIFY2(has(room.what, "b could not keep an instance of the task"), room.what.c_str());
    // The stage shares node a if the node has enough memory.
    fixture.change("a", [](NodeInfo& info) { info.memory = 8 * process_memory; });
    (void)fixture.take();
    const Output planned = fixture.plan(fixture.drain("c"));
    QCOMPARE(sent<StartInstance>(planned, fixture.nodes["a"]).size(), std::size_t(1));
    QVERIFY(sent<StartInstance>(planned, fixture.nodes["b"]).empty());
}

void DrainsTest::drain_is_refused_if_a_task_reads_files_of_the_node() {
    Fixture fixture(reads_on_its_node().text());
    const Error bound = fixture.refusal("a");
    QCOMPARE(bound.code, ErrorCode::unavailable);
    QVERIFY(has(bound.what, "files that only this node has"));
    QVERIFY(fixture.drains_well("b"));
}

void DrainsTest::data_instances_move_one_after_another() {
    Fixture fixture(plain, true);
    fixture.open_gateway();
    const InstanceId data_0_again("t-1/data/0#2"), data_1_again("t-1/data/1#2");
    const Output begun = fixture.drain("b");
    QCOMPARE(sent<Done>(begun, fixture.client).size(), std::size_t(1));
    QCOMPARE(sent<StartInstance>(begun, fixture.nodes["c"]).size(), std::size_t(1));
    QCOMPARE(sent<StartInstance>(begun, fixture.nodes["c"])[0].instance, data_0_again);
    QCOMPARE(sent<EndInstance>(begun, fixture.instances[data_0]).size(), std::size_t(1));
    QVERIFY(sent<EndInstance>(begun, fixture.instances[data_1]).empty());
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);  // the other data instance still serves
    QVERIFY(fixture.poll().sends.empty());
    (void)fixture.serve(data_0_again);
    QVERIFY(fixture.poll().sends.empty());  // the new data instance has not started yet, so nothing moves
    (void)fixture.say(data_0_again, InstancePrepared{data_0_again, "hash", 5});
    const Output next = fixture.poll();
    QCOMPARE(sent<StartInstance>(next, fixture.nodes["c"]).at(0).instance, data_1_again);
    QCOMPARE(sent<EndInstance>(next, fixture.instances[data_1]).size(), std::size_t(1));
    (void)fixture.arrive(data_1_again);
    for (const InstanceId& id : {data_0, data_1}) (void)fixture.hear(fixture.nodes["b"], InstanceExited{id, 0, 0, ""});
    const auto notes = logged<Noted>(fixture.poll());
    QCOMPARE(notes.size(), std::size_t(1));
    QCOMPARE(notes[0].text, std::string("node b is drained: nothing runs there"));
    QCOMPARE(fixture.task().generation, Generation(1));  // no step is repeated
    QCOMPARE(fixture.state(data_0_again), InstanceState::running);
    QVERIFY(fixture.wait(2 * drain_retry).events.empty());
    // A restarted orchestrator finds nothing left to do.
    Fixture after(fixture.log);
    QCOMPARE(after.state_of("b"), DrainState::drained);
}

void DrainsTest::single_data_instance_moves_too() {
    // The task file names the node of its data, too, but an operator's order takes precedence.
    Fixture fixture(two_stages().set("place.data", "b").text(), true);
    fixture.open_gateway();
    (void)fixture.scale(1);
    (void)fixture.hear(fixture.nodes["b"], InstanceExited{data_1, 0, 0, ""});
    const InstanceId again("t-1/data/0#2");
    QCOMPARE(sent<StartInstance>(fixture.drain("b"), fixture.nodes["c"]).at(0).instance, again);
    (void)fixture.arrive(again);
    (void)fixture.hear(fixture.nodes["b"], InstanceExited{data_0, 0, 0, ""});
    (void)fixture.poll();
    QCOMPARE(fixture.state_of("b"), DrainState::drained);
    QCOMPARE(fixture.task().phase, TaskPhase::exchange);
}

void DrainsTest::drain_is_refused_if_the_data_is_readable_only_there() {
    Fixture nobody_deals(plain, true);
    const Error why = nobody_deals.refusal("b");
    QCOMPARE(why.code, ErrorCode::unavailable);
    QVERIFY(has(why.what, "data instance of task t-1") && !why.next.empty());
    Fixture bound(reads_on_its_node().text(), true);
    bound.open_gateway();
    QVERIFY(has(bound.refusal("b").what, "no other node in a MIC with a gateway has its data"));
    QVERIFY(bound.drains_well("c"));
}

/// If a node has both data instances and stages, the data instances leave first. The next generation of the stages thus
/// finds them in their new place.
void DrainsTest::stage_follows_its_data_to_another_node() {
    Fixture fixture(plain, true);
    fixture.open_gateway();
    QVERIFY(fixture.drains_well("c"));
    // a is the only other node
    QCOMPARE(sent<StartInstance>(fixture.drain("b"), fixture.nodes["a"]).size(), std::size_t(1));
    for (const char* id : {"t-1/data/0#2", "t-1/data/1#2"}) {
        (void)fixture.arrive(InstanceId(id));
        (void)fixture.poll();
    }
    for (const InstanceId& id : {data_0, data_1}) (void)fixture.hear(fixture.nodes["b"], InstanceExited{id, 0, 0, ""});
    for (const char* node : {"b", "c"}) (void)fixture.drain(node, true);
    Output output = fixture.drain("a");
    for (const char* id : {"t-1/data/0#3", "t-1/data/1#3"}) {
        QVERIFY2(output.jobs.empty(), id);
        QCOMPARE(sent<StartInstance>(output, fixture.nodes["b"]).size(), std::size_t(1));
        (void)fixture.arrive(InstanceId(id));
        output = fixture.poll();
    }
    QCOMPARE(output.jobs.size(), std::size_t(1));
    QVERIFY(holds_alternative<Planning>(output.jobs[0].what));
}

/// A data instance that is no longer wanted does not block a drain if its node is lost.
void DrainsTest::unwanted_data_instance_does_not_block_a_drain() {
    Fixture fixture(plain, true);
    fixture.open_gateway();
    (void)fixture.scale(1);
    (void)fixture.hear(fixture.nodes["b"], InstanceExited{data_1, 0, 0, ""});
    (void)fixture.drain("b");
    (void)fixture.arrive(InstanceId("t-1/data/0#2"));
    (void)fixture.hear(fixture.nodes["b"], InstanceExited{data_0, 0, 0, ""});
    (void)fixture.poll();
    (void)fixture.lose("b");
    (void)fixture.join("d");
    QCOMPARE(fixture.drain("a").jobs.size(), std::size_t(1));
}

DIVISI_TEST(DrainsTest)

}  // namespace drains_test

#include "drains_test.moc"
