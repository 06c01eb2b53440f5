// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/drains.h"

#include "backend/control/state/drain_state.h"
#include "tests/support/test_program.h"
#include "tests/unit/control/runs_floor.h"

namespace drains_test {

using namespace divisi;
using namespace divisi::control;
using namespace divisi::control::test;

namespace {

const std::string head = "[model]\nzoo = \"mlp\"\n", tail = "[split]\nstages = 2\n",
                  synthetic = "[data]\nkind = \"synthetic\"\nsamples = 64\n", plain = head + synthetic + tail;
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
struct Floor : RunsFloor {
    Deliveries deliveries{desk};
    TaskQueue queue{desk, deliveries, models, kept};
    BlobTransfers transfers{desk, devices};
    Maker maker;
    Recuts recuts{desk, models, queue, transfers, maker, runs};
    Drains drains{desk, queue, recuts, runs};
    PeerId client{};

    /// Restores the fixture from a log, as after a crash before anyone has reconnected.
    explicit Floor(std::vector<Event> before) : RunsFloor(std::move(before)) {
        follow();
        desk.append(ClusterStarted{"test", "1", {}});
        leases.adopt();
        runs.adopt(false);
        drains.adopt();
        come();
    }
    explicit Floor(const std::string& text = plain, bool with_data = false) {
        follow();
        if (with_data) train_with_data(2, text, {}, task::FaultAnswer::recover);
        else train(0, task::FaultAnswer::recover, text);
        (void)join("c");
        keep_blobs();
        come();
    }
    void follow() {
        desk.follow([this](const Event& event) {
            leases.follow(event);
            runs.follow(event);
            drains.follow(event);
        });
    }
    void come() {
        client = connect("client");
        desk.sessions().at(client).role = Role::operate;
        (void)take();
    }
    void keep_blobs() {
        for (const char* name : {"a", "b", "c"})
            change(name, [&](NodeInfo& info) { info.blob_endpoint = "ipc:///" + std::string(name); });
    }
    template <typename Change>
    void change(const std::string& name, const Change& what) {
        NodeInfo info = desk.state().nodes.at(NodeId(name)).info;
        what(info);
        desk.append(NodeJoined{info});
    }
    Output look() {
        recuts.look();
        drains.look();
        return take();
    }
    Output drain(const std::string& name, bool undo = false) {
        desk.set_time(now += std::chrono::milliseconds(1));
        const DrainNode message{NodeId(name), undo};
        drains.handle(Received{client, 7, message}, message);
        return look();
    }
    /// Returns the error of a refused drain. Checks that the refusal has changed nothing.
    Error refusal(const std::string& name, bool undo = false) {
        const Output output = drain(name, undo);
        const auto refused = sent<Refused>(output, client);
        if (refused.size() != 1) qFatal("%zu refusals", refused.size());
        if (!output.events.empty() || !output.jobs.empty()) qFatal("it has begun all the same");
        return refused[0].error;
    }
    bool drains_well(const std::string& name) { return sent<Done>(drain(name), client).size() == 1; }
    /// Completes the job started last with a plan.
    Output plan(const Output& asked, const std::string& hash = "hash") {
        if (asked.jobs.empty()) qFatal("nothing is planned");
        const auto whose = desk.jobs().close(asked.jobs.back().id);
        if (!whose || whose->recut != the_task) qFatal("it is planned for somebody else");
        PlanSummary plan;
        plan.name = "t";
        plan.answer = task::FaultAnswer::recover;
        plan.steps = 10;
        plan.threads = 3;
        plan.plan_hash = hash;
        plan.stages = 2;
        plan.inherits = {{0}, {1}};
        recuts.planned(*whose, plan);
        Output planned = look();
        Output ready = stand_by(planned);
        planned.events.insert(planned.events.end(), ready.events.begin(), ready.events.end());
        planned.sends.insert(planned.sends.end(), ready.sends.begin(), ready.sends.end());
        return planned;
    }
    /// Lets the processes started for the moving stages get ready and compile the new plan.
    Output stand_by(const Output& planned) {
        for (const Send& one : planned.sends) {
            const auto* start = get_if<StartInstance>(&one.message);
            if (!start) continue;
            (void)serve(start->instance);
            (void)say(start->instance, InstancePrepared{start->instance, "hash", -1, task().generation});
        }
        for (const Send& one : look().sends) {
            const auto* order = get_if<PreparePlan>(&one.message);
            if (!order) continue;
            const PlanPrepared message{the_task, order->instance, "hash", {}, order->order};
            recuts.handle(Received{one.peer, 1, message}, message);
        }
        return look();
    }
    Output commit() {
        desk.append(CheckpointCommitted{
            the_task,
            {task().generation,
             5,
             now,
             {{sid_of(first), 0, of_first, 10, {NodeId("a")}}, {sid_of(second), 1, of_second, 10, {NodeId("b")}}}}});
        return look();
    }
    using RunsFloor::arrive;
    /// Reports the snapshots that were ordered.
    Output arrive(const Output& ordered) {
        Output all;
        for (const Send& one : ordered.sends) {
            const auto* fetch = get_if<FetchBlob>(&one.message);
            if (!fetch) continue;
            const BlobFetched message{fetch->transfer, 10, {}};
            transfers.handle(Received{one.peer, 1, message}, message);
            all = look();
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
    DrainState state_of(const std::string& name) const { return drain_state(desk.state(), NodeId(name)); }
    Output wait(Duration time) {
        (void)pass(time);
        return look();
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
    void unknown_away_and_only_nodes_are_refused();
    void drain_without_room_elsewhere_is_refused();
    void nothing_moves_to_an_unfit_node();
    void drain_is_refused_if_a_task_reads_files_of_the_node();
    void data_instances_move_one_after_another();
    void single_data_instance_moves_too();
    void drain_is_refused_if_the_data_is_readable_only_there();
    void stage_follows_its_data_to_another_node();
    void unwanted_data_instance_does_not_block_a_drain();
};

void DrainsTest::stage_moves_and_the_node_is_drained() {
    Floor floor;
    const Output asked = floor.drain("b");
    QCOMPARE(sent<Done>(asked, floor.client).size(), std::size_t(1));
    const auto& planning = get<Planning>(asked.jobs.at(0).what);
    QCOMPARE(planning.submission->text, plain);
    QCOMPARE(planning.before, plain);
    QCOMPARE(floor.state_of("b"), DrainState::draining);
    const Output planned = floor.plan(asked);
    QCOMPARE(planned.sends.size(), std::size_t(1));  // a process is started on c
    const auto started = sent<StartInstance>(planned, floor.nodes["c"]);
    QCOMPARE(started.at(0).instance, waits);
    const Output committed = floor.commit();
    QCOMPARE(sent<FetchBlob>(committed, floor.nodes["c"]).at(0).hash, of_second);
    const Output force = floor.arrive(committed);
    const auto recut = logged<TaskRecut>(force);
    QCOMPARE(recut.size(), std::size_t(1));
    QCOMPARE(recut[0].from, recut[0].to);
    QVERIFY(recut[0].origins == (std::vector<StageOrigin>{{NodeId("a"), {0}}, {NodeId("c"), {1}}}));
    QVERIFY(has(describe(Event::Body(recut[0])), "its stages are on a, c"));
    QCOMPARE(floor.task().text, plain);
    QVERIFY(floor.task().text_before.empty());  // there is no previous plan to return to
    QCOMPARE(sent<StartInstance>(force, floor.nodes["a"]).at(0).from, first);
    QCOMPARE(sent<StartInstance>(force, floor.nodes["c"]).at(0).instance, second_again);
    QCOMPARE(sent<StartInstance>(force, floor.nodes["c"]).at(0).from, waits);
    QVERIFY(!sent<StopInstance>(force, floor.nodes["b"]).at(0).keep);
    floor.go_on();
    QVERIFY(logged<Noted>(floor.look()).empty());
    (void)floor.hear(floor.nodes["b"], InstanceExited{second, 0, 15, ""});
    const auto notes = logged<Noted>(floor.look());
    QCOMPARE(notes.size(), std::size_t(1));
    QCOMPARE(notes[0].text, std::string("node b is drained: nothing runs there"));
    QCOMPARE(floor.state_of("b"), DrainState::drained);
    QCOMPARE(floor.task().generation, Generation(2));
    QVERIFY(floor.wait(2 * drain_retry).events.empty());
}

void DrainsTest::drained_node_gets_nothing_until_the_drain_is_undone() {
    Floor floor;
    QVERIFY(floor.drains_well("c"));
    QCOMPARE(floor.state_of("c"), DrainState::drained);
    QVERIFY(floor.drains_well("c"));  // the node is already drained
    const auto in_turn = [&] {
        return Vacancies(floor.desk.state(), use_of(floor.desk.state())).in_turn(PlanSummary{}, {}, 9);
    };
    QVERIFY(std::ranges::count(in_turn(), NodeId("c")) == 0);
    floor.change("c", [](NodeInfo&) {});  // the node reconnects
    QCOMPARE(floor.state_of("c"), DrainState::drained);
    const auto undone = logged<DrainChanged>(floor.drain("c", true));
    QVERIFY(undone.size() == 1 && !undone[0].drains);
    QCOMPARE(floor.state_of("c"), DrainState::none);
    QVERIFY(std::ranges::count(in_turn(), NodeId("c")) == 1);
    QCOMPARE(floor.refusal("c", true).code, ErrorCode::conflict);
}

void DrainsTest::drain_resumes_after_a_restart() {
    Floor floor;
    (void)floor.drain("b");
    Floor after(floor.log);
    QCOMPARE(after.state_of("b"), DrainState::draining);
    QVERIFY(after.look().jobs.empty());  // the task's nodes have not reconnected yet
    (void)after.join("a", {first});
    (void)after.join("c");
    (void)after.join("b", {second});
    after.keep_blobs();
    for (const InstanceId& id : {first, second}) (void)after.serve(id, InstanceState::running);
    const Output asked = after.look();
    QCOMPARE(asked.jobs.size(), std::size_t(1));
    QVERIFY(holds_alternative<Planning>(asked.jobs[0].what));
}

void DrainsTest::failed_move_is_retried() {
    Floor floor;
    floor.maker.refusal = Error{ErrorCode::unavailable, "a stage is away", "t-1", "wait for it"};
    const auto told = warnings(floor.plan(floor.drain("b")));
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY(has(told[0].text, "a stage is away"));
    QVERIFY(floor.wait(drain_retry / 2).jobs.empty());
    const Output again = floor.wait(drain_retry);
    QCOMPARE(again.jobs.size(), std::size_t(1));
    QVERIFY(warnings(floor.plan(again)).empty());  // the same reason is logged once
    QVERIFY(floor.drains.next_deadline().has_value());
    floor.maker.refusal.reset();
    (void)floor.plan(floor.wait(2 * drain_retry));
    QCOMPARE(logged<TaskRecut>(floor.arrive(floor.commit())).size(), std::size_t(1));
}

void DrainsTest::move_to_a_changed_plan_is_refused() {
    Floor floor;
    const auto told = logged<Noted>(floor.plan(floor.drain("b"), "other"));
    QCOMPARE(told.size(), std::size_t(1));
    QVERIFY(has(told[0].text, "another plan"));
    QCOMPARE(floor.task().generation, Generation(1));
}

void DrainsTest::batch_task_finishes_on_a_draining_node() {
    Floor floor("[task]\nkind = \"batch\"\n[model]\nonnx = \"m.onnx\"\n" + synthetic);
    const Output output = floor.drain("b");
    QCOMPARE(sent<Done>(output, floor.client).size(), std::size_t(1));
    QVERIFY(output.jobs.empty());
    QCOMPARE(floor.state_of("b"), DrainState::draining);
    QVERIFY(logged<Noted>(output).empty());
}

void DrainsTest::lost_node_is_retired() {
    Floor floor;
    floor.desk.append(NodeEnded{NodeId("c"), NodeState::lost, "silent"});
    (void)floor.take();
    const Output output = floor.drain("c");
    QCOMPARE(sent<Done>(output, floor.client).size(), std::size_t(1));
    QCOMPARE(logged<DrainChanged>(output).size(), std::size_t(1));
    QCOMPARE(floor.state_of("c"), DrainState::drained);
    QVERIFY(output.jobs.empty());
    // the machine is repaired and its node reconnects; it gets nothing until the drain is undone
    floor.change("c", [](NodeInfo&) {});
    QCOMPARE(floor.state_of("c"), DrainState::drained);
    QCOMPARE(logged<DrainChanged>(floor.drain("c", true)).size(), std::size_t(1));
    // A lost node cannot be drained if a task waits for it ([faults] answer = "wait"): the task's instances start there
    // once the node is back.
    floor.desk.append(NodeEnded{NodeId("b"), NodeState::lost, "silent"});
    (void)floor.take();
    const Error missed = floor.refusal("b");
    QCOMPARE(missed.code, ErrorCode::conflict);
    QVERIFY(has(missed.what, "task t-1 waits for the node") && !missed.next.empty());
}

void DrainsTest::unknown_away_and_only_nodes_are_refused() {
    Floor floor;
    const Error unknown = floor.refusal("z");
    QCOMPARE(unknown.code, ErrorCode::not_found);
    QCOMPARE(unknown.where, std::string("node z"));
    QCOMPARE(floor.refusal("c", true).code, ErrorCode::conflict);
    floor.desk.append(NodeEnded{NodeId("c"), NodeState::away, "silent"});
    (void)floor.take();
    const Error away = floor.refusal("c");
    QCOMPARE(away.code, ErrorCode::unavailable);
    QVERIFY(has(away.what, "away") && !away.next.empty());
    floor.desk.append(NodeEnded{NodeId("b"), NodeState::away, "silent"});
    (void)floor.take();
    const Error only = floor.refusal("a");
    QVERIFY(has(only.what, "only node") && !only.next.empty());
    // A drained node takes over nothing.
    Floor other;
    QVERIFY(other.drains_well("c"));
    QVERIFY(other.drains_well("b"));
    (void)other.take();
    QVERIFY(has(other.refusal("a").what, "only node"));
}

void DrainsTest::drain_without_room_elsewhere_is_refused() {
    Floor floor;
    Reservation kept;
    kept.number = 1;
    kept.nodes = {"c"};
    kept.submitter = "bob";
    kept.from = floor.now;
    kept.until = floor.now + std::chrono::hours(1);
    floor.desk.append(ReservationMade{kept});
    floor.change("a", [](NodeInfo& info) { info.memory = process_memory; });
    (void)floor.take();
    const Error room = floor.refusal("b");
    QCOMPARE(room.code, ErrorCode::unavailable);
    QCOMPARE(room.where, std::string("node b"));
    for (const char* part : {"stage 1 of task t-1", "a has no memory", "keeps a node for bob"})
        QVERIFY2(has(room.what, part), room.what.c_str());
    QCOMPARE(floor.task().generation, Generation(1));
    // If a has enough memory, two stages share that node.
    floor.change("a", [](NodeInfo& info) { info.memory = 4 * process_memory; });
    QVERIFY(floor.drains_well("b"));
    // A stage on a secure node moves only to another secure node.
    Floor guarded;
    guarded.change("b", [](NodeInfo& info) { info.secure = true; });
    (void)guarded.take();
    QVERIFY(has(guarded.refusal("b").what, "is not secure"));
    guarded.change("c", [](NodeInfo& info) { info.secure = true; });
    QVERIFY(guarded.drains_well("b"));
}

/// An agent could not start a stage on b. If that were tried again and again, the task would never leave the drained
/// node.
void DrainsTest::nothing_moves_to_an_unfit_node() {
    Floor floor;
    const Error why{ErrorCode::failed, "the process could not be started", "b", "see its log"};
    (void)floor.hear(floor.nodes["b"], InstanceFailed{second, why});
    (void)floor.hear(floor.nodes["b"], InstanceExited{second, 0, 15, ""});
    QCOMPARE(floor.desk.state().instances.at(second_again).node, NodeId("c"));
    for (const InstanceId& id : {first_again, second_again}) (void)floor.serve(id);
    for (const InstanceId& id : {first_again, second_again})
        (void)floor.say(id, InstancePrepared{id, "hash", 5, Generation(2)});
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
    // b cannot take the stage that leaves c.
    floor.change("a", [](NodeInfo& info) { info.memory = process_memory; });
    (void)floor.take();
    const Error room = floor.refusal("c");
    QCOMPARE(room.code, ErrorCode::unavailable);
    QVERIFY2(has(room.what, "b could not keep an instance of the task"), room.what.c_str());
    // The stage shares node a if that has enough memory.
    floor.change("a", [](NodeInfo& info) { info.memory = 8 * process_memory; });
    (void)floor.take();
    const Output planned = floor.plan(floor.drain("c"));
    QCOMPARE(sent<StartInstance>(planned, floor.nodes["a"]).size(), std::size_t(1));
    QVERIFY(sent<StartInstance>(planned, floor.nodes["b"]).empty());
}

void DrainsTest::drain_is_refused_if_a_task_reads_files_of_the_node() {
    Floor floor(head + "inputs = 1\nclasses = 2\n[data]\nkind = \"csv\"\npath = \"node:/d.csv\"\ntargets = [\"y\"]\n" +
                tail);
    const Error bound = floor.refusal("a");
    QCOMPARE(bound.code, ErrorCode::unavailable);
    QVERIFY(has(bound.what, "files that lie on the node alone"));
    QVERIFY(floor.drains_well("b"));
}

void DrainsTest::data_instances_move_one_after_another() {
    Floor floor(plain, true);
    floor.open_gateway();
    const InstanceId data_0_again("t-1/data/0#2"), data_1_again("t-1/data/1#2");
    const Output begun = floor.drain("b");
    QCOMPARE(sent<Done>(begun, floor.client).size(), std::size_t(1));
    QCOMPARE(sent<StartInstance>(begun, floor.nodes["c"]).size(), std::size_t(1));
    QCOMPARE(sent<StartInstance>(begun, floor.nodes["c"])[0].instance, data_0_again);
    QCOMPARE(sent<EndInstance>(begun, floor.instances[data_0]).size(), std::size_t(1));
    QVERIFY(sent<EndInstance>(begun, floor.instances[data_1]).empty());
    QCOMPARE(floor.task().phase, TaskPhase::exchange);  // the other data instance still serves
    QVERIFY(floor.look().sends.empty());
    (void)floor.serve(data_0_again);
    QVERIFY(floor.look().sends.empty());  // the new data instance has not started yet
    (void)floor.say(data_0_again, InstancePrepared{data_0_again, "hash", 5});
    const Output next = floor.look();
    QCOMPARE(sent<StartInstance>(next, floor.nodes["c"]).at(0).instance, data_1_again);
    QCOMPARE(sent<EndInstance>(next, floor.instances[data_1]).size(), std::size_t(1));
    (void)floor.arrive(data_1_again);
    for (const InstanceId& id : {data_0, data_1}) (void)floor.hear(floor.nodes["b"], InstanceExited{id, 0, 0, ""});
    const auto notes = logged<Noted>(floor.look());
    QCOMPARE(notes.size(), std::size_t(1));
    QCOMPARE(notes[0].text, std::string("node b is drained: nothing runs there"));
    QCOMPARE(floor.task().generation, Generation(1));  // no step is repeated
    QCOMPARE(floor.state(data_0_again), InstanceState::running);
    QVERIFY(floor.wait(2 * drain_retry).events.empty());
    // A restarted orchestrator finds nothing left to do.
    Floor after(floor.log);
    QCOMPARE(after.state_of("b"), DrainState::drained);
}

void DrainsTest::single_data_instance_moves_too() {
    // The task file names the node of its data, too, but an operator's order takes precedence.
    Floor floor(plain + "[place]\ndata = \"b\"\n", true);
    floor.open_gateway();
    (void)floor.scale(1);
    (void)floor.hear(floor.nodes["b"], InstanceExited{data_1, 0, 0, ""});
    const InstanceId again("t-1/data/0#2");
    QCOMPARE(sent<StartInstance>(floor.drain("b"), floor.nodes["c"]).at(0).instance, again);
    (void)floor.arrive(again);
    (void)floor.hear(floor.nodes["b"], InstanceExited{data_0, 0, 0, ""});
    (void)floor.look();
    QCOMPARE(floor.state_of("b"), DrainState::drained);
    QCOMPARE(floor.task().phase, TaskPhase::exchange);
}

void DrainsTest::drain_is_refused_if_the_data_is_readable_only_there() {
    Floor nobody_deals(plain, true);
    const Error why = nobody_deals.refusal("b");
    QCOMPARE(why.code, ErrorCode::unavailable);
    QVERIFY(has(why.what, "data instance of task t-1") && !why.next.empty());
    Floor bound(
        head + "inputs = 1\nclasses = 2\n[data]\nkind = \"csv\"\npath = \"node:/d.csv\"\ntargets = [\"y\"]\n" + tail,
        true);
    bound.open_gateway();
    QVERIFY(has(bound.refusal("b").what, "no other node has its data"));
    QVERIFY(bound.drains_well("c"));
}

/// If a node has both, the data instances leave first, so that the next generation of the stages finds them in their
/// new place.
void DrainsTest::stage_follows_its_data_to_another_node() {
    Floor floor(plain, true);
    floor.open_gateway();
    QVERIFY(floor.drains_well("c"));
    // a is the only other node
    QCOMPARE(sent<StartInstance>(floor.drain("b"), floor.nodes["a"]).size(), std::size_t(1));
    for (const char* id : {"t-1/data/0#2", "t-1/data/1#2"}) {
        (void)floor.arrive(InstanceId(id));
        (void)floor.look();
    }
    for (const InstanceId& id : {data_0, data_1}) (void)floor.hear(floor.nodes["b"], InstanceExited{id, 0, 0, ""});
    for (const char* node : {"b", "c"}) (void)floor.drain(node, true);
    Output output = floor.drain("a");
    for (const char* id : {"t-1/data/0#3", "t-1/data/1#3"}) {
        QVERIFY2(output.jobs.empty(), id);
        QCOMPARE(sent<StartInstance>(output, floor.nodes["b"]).size(), std::size_t(1));
        (void)floor.arrive(InstanceId(id));
        output = floor.look();
    }
    QCOMPARE(output.jobs.size(), std::size_t(1));
    QVERIFY(holds_alternative<Planning>(output.jobs[0].what));
}

/// A data instance that is no longer wanted does not block a drain if its node is lost.
void DrainsTest::unwanted_data_instance_does_not_block_a_drain() {
    Floor floor(plain, true);
    floor.open_gateway();
    (void)floor.scale(1);
    (void)floor.hear(floor.nodes["b"], InstanceExited{data_1, 0, 0, ""});
    (void)floor.drain("b");
    (void)floor.arrive(InstanceId("t-1/data/0#2"));
    (void)floor.hear(floor.nodes["b"], InstanceExited{data_0, 0, 0, ""});
    (void)floor.look();
    (void)floor.lose("b");
    (void)floor.join("d");
    QCOMPARE(floor.drain("a").jobs.size(), std::size_t(1));
}

DIVISI_TEST(DrainsTest)

}  // namespace drains_test

#include "drains_test.moc"
