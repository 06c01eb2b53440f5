// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/instance_process.h"

#include <algorithm>

#include "tests/sim/task_text.h"

namespace divisi::sim {

using namespace control;
using std::chrono::milliseconds;

namespace {

constexpr Duration answer_deadline = std::chrono::seconds(20);
/// The correlation with which InstanceLife registers.
constexpr std::uint64_t registration_correlation = 1;
/// Maximum number of unacknowledged tensors: two micro-batches in each direction.
constexpr std::size_t most_unacknowledged = 8;
/// Delay from the report of a snapshot to its writing, for InjectedBug::reports_before_durable.
constexpr Duration late_writing = std::chrono::seconds(2);

}  // namespace

InstanceProcess::InstanceProcess(Surroundings around, Place place, InstanceId id, Machine machine, Events events)
    : Process(around, std::move(place)),
      id_(std::move(id)),
      machine_(machine),
      events_(std::move(events)),
      port_(loop_, sockets(), sid_of(id_), incarnation_of(id_), port_events()),
      orchestrator_(loop_, sockets(), {orchestrator_address}, hello("divisi-instance", Role::agent), answer_deadline),
      tick_timer_(loop_),
      work_timer_(loop_),
      exit_timer_(loop_) {
    RegisterInstance registration;
    registration.instance = id_;
    registration.sid = sid_of(id_);
    registration.data_endpoint = port_.listen("mem://" + place_.process).value();
    registration.pid = place_.pid;
    life_.emplace(std::move(registration));
    orchestrator_.start(link_events());
    tick();
}

link::AgentLink::Events InstanceProcess::link_events() {
    link::AgentLink::Events events;
    events.up = [this] { feed(instance::Connected{}); };
    events.down = [this] { feed(instance::Disconnected{}); };
    events.message = [this](std::uint64_t correlation, const Message& message) {
        const auto* refused = get_if<Refused>(&message);
        if (refused && correlation == registration_correlation && refused->error.code == ErrorCode::not_found)
            watch().turned_away(id_);
        feed(instance::FromOrchestrator{correlation, message});
    };
    return events;
}

link::DataPort::Events InstanceProcess::port_events() {
    link::DataPort::Events events;
    events.tensor = [this](const frame::TensorFrame& frame) {
        watch().consumed(frame);
        if (engine_) engine_->deliver(frame);
    };
    events.released = [this](const frame::TensorKey& key) {
        if (engine_) engine_->freed(key);
    };
    events.trouble = [this](const Error& error) {
        if (life_) feed(instance::NonFatalError{error});
    };
    return events;
}

void InstanceProcess::tick() {
    tick_timer_.start(heartbeat_interval, [this] { tick(); });
    feed(instance::Tick{});
    watch().holds("the data port of " + place_.process, port_.unacknowledged(), most_unacknowledged);
    if (life_->state() != InstanceState::running) return;
    InstanceLoad load;
    load.instance = id_;
    load.step = engine_->step();
    feed(instance::LoadMeasured{load});
}

void InstanceProcess::feed(const instance::Input& input) {
    const instance::Output output = life_->step(input, loop_.now());
    for (const auto& up : output.sends) orchestrator_.send(up.correlation, up.message);
    if (output.prepare) prepare(*output.prepare);
    if (output.warm_up) warm_up(output.warm_up->deploy);
    if (output.run) run();
    if (output.prepare_plan) prepare_plan(*output.prepare_plan);
    if (engine_) direct(output);
    if (output.exit && !exit_timer_.active())
        exit_timer_.start(milliseconds(20), [this, status = *output.exit] { events_.exit(status); });
}

/// Passes the life's commands to the engine of the stage that runs.
void InstanceProcess::direct(const instance::Output& output) {
    if (output.hold) watch().stands(id_, *output.hold, engine_->step());
    if (output.hold && machine_.bug != InjectedBug::goes_on_past_a_hold) engine_->hold(*output.hold);
    if (output.take_snapshot) take_snapshot(*output.take_snapshot);
    if (output.end_work) engine_->stop();
}

/// Prepares a standby: it reads its task and reports the hash of the plan.
void InstanceProcess::warm_up(const Deploy& what) {
    work_timer_.start(world().between(milliseconds(10), milliseconds(1500)), [this, text = what.text] {
        if (const auto task = read_task(text)) return feed(instance::Prepared{task->plan_hash()});
        feed(instance::WorkFailed{{ErrorCode::failed, "cannot read its task", id_.value(), "try again"}});
    });
}

/// Compiles another plan while the current one runs.
void InstanceProcess::prepare_plan(const PreparePlan& order) {
    loop_.after(world().between(milliseconds(5), milliseconds(500)), [this, text = order.text, number = order.order] {
        const auto task = read_task(text);
        PlanPrepared told;
        told.order = number;
        if (task) told.plan_hash = task->plan_hash();
        else told.error = task.error();
        feed(instance::PlanCompiled{told});
    });
}

void InstanceProcess::prepare(const instance::Prepare& what) {
    task_ = what.deploy.task;
    const auto text = read_task(what.deploy.text);
    if (!text) return watch().violate(id_.value() + " cannot read its task: " + text.error().message());
    if (text->plan_hash() != what.deploy.plan_hash) watch().violate(id_.value() + " is given the text of another plan");
    stage_.stages = text->stages();
    stage_.operators = text->operators;
    stage_.first_op = text->begins.at(static_cast<std::size_t>(what.deploy.stage));
    stage_.end_op = text->end(what.deploy.stage);
    stage_.steps = text->steps;
    rule_ = text->checkpoint;
    stage_.task = frame::flow_id(what.deploy.task);
    stage_.generation = what.deploy.generation;
    stage_.stage = what.deploy.stage;
    stage_.operation = world().between(milliseconds(5), milliseconds(25));
    if (what.peers.peers.size() != static_cast<std::size_t>(stage_.stages)) watch().violate("a peer is missing");
    port_.enter(stage_.task, stage_.generation);
    for (const control::Peer& peer : what.peers.peers) {
        peers_[peer.stage] = peer.sid;
        if (peer.instance != id_) port_.connect(peer.sid, incarnation_of(peer.instance), peer.data_endpoint);
    }
    const Result<void> restored = restore(what.deploy.restore);
    if (restored) engine_.emplace(loop_, stage_, outlet());
    const Duration preparing = world().between(milliseconds(10), milliseconds(1500));
    work_timer_.start(preparing, [this, restored, hash = text->plan_hash()] {
        if (!restored) return feed(instance::WorkFailed{restored.error()});
        if (!events_.work_fails()) return feed(instance::Prepared{hash});
        feed(instance::WorkFailed{{ErrorCode::failed, "cannot prepare", id_.value(), "try again"}});
    });
}

/// Restores the stage from the snapshots on its node and starts after their step. From step 0, the stage starts with
/// its initial weights.
Result<void> InstanceProcess::restore(const Restore& from) {
    stage_.first = from.step + (machine_.bug == InjectedBug::begins_too_early && from.step > 0 ? 0 : 1);
    std::vector<std::uint64_t>& weights = stage_.weights.emplace();
    for (std::int32_t op = stage_.first_op; op < stage_.end_op; ++op)
        weights.push_back(OperatorArithmetic::first_weight(op));
    if (machine_.bug == InjectedBug::keeps_its_state && machine_.learned &&
        machine_.learned->size() == weights.size()) {
        weights = *machine_.learned;
        return {};
    }
    if (from.step == 0) return {};
    std::vector<bool> known(weights.size());
    for (const std::string& hash : from.hashes) {
        const auto found = machine_.store.blobs.find(hash);
        if (found == machine_.store.blobs.end()) {
            // A missing snapshot is excused if the node lost its disk, or if the order is no longer valid.
            if (!machine_.store.lost && check_in_force(from))
                watch().violate(id_.value() + " must restore a snapshot that its node does not have");
            return Error{ErrorCode::not_found, "the snapshot is not on this node", hash, "go on where it has a copy"};
        }
        DIVISI_ASSIGN(const SegmentState state, read_state(found->second));
        if (!begins_with(state, known)) continue;
        if (state.step != from.step) watch().violate(id_.value() + " received the snapshot of another step");
        if (machine_.bug == InjectedBug::begins_with_one_part) return {};
    }
    if (std::ranges::count(known, false) == 0) return {};
    watch().violate(id_.value() + " must restore step " + std::to_string(from.step) + " without its snapshot");
    return Error{ErrorCode::unavailable, "no snapshot is named", id_.value(), "go on from another step"};
}

/// Takes this stage's weights from a snapshot, and marks them in `known`. Returns false if the snapshot has none.
bool InstanceProcess::begins_with(const SegmentState& state, std::vector<bool>& known) {
    bool any = false;
    for (std::int32_t op = stage_.first_op; op < stage_.end_op; ++op) {
        const auto there = static_cast<std::size_t>(op - state.first_op);
        const auto here = static_cast<std::size_t>(op - stage_.first_op);
        if (op < state.first_op || there >= state.weights.size()) continue;
        stage_.weights->at(here) = state.weights[there];
        any = known[here] = true;
    }
    return any;
}

bool InstanceProcess::check_in_force(const Restore& from) {
    const auto task = watch().durable().tasks.find(task_);
    return task != watch().durable().tasks.end() && !task->second.over() &&
           task->second.generation == stage_.generation && task->second.from_step == from.step;
}

void InstanceProcess::run() { engine_->start(); }

// --- steps and snapshots ------------------------------------------------------------------------

void InstanceProcess::step_done(std::int64_t step, float loss) {
    if (events_.work_fails()) {
        engine_->stop();
        return feed(instance::WorkFailed{{ErrorCode::failed, "cannot go on", id_.value(), "try again"}});
    }
    StepRecord record;
    record.step = step;
    record.loss = loss;
    record.generation = stage_.generation;
    if (machine_.bug == InjectedBug::reports_unfenced) record.generation = watch().durable().tasks.at(task_).generation;
    feed(instance::StepFinished{record});
}

/// Writes a snapshot in the background if one is due. After the last step no snapshot is written, since the weights are
/// stored anyway.
void InstanceProcess::step_over(std::int64_t step, const std::vector<std::uint64_t>& weights) {
    watch().done(id_, step);
    const bool by_rule = rule_.every == task::CheckpointRule::Every::steps && step % rule_.count == 0;
    const bool is_ordered = ordered_.erase(step) > 0;
    if ((!by_rule && !is_ordered) || step >= stage_.steps) return;
    const std::string bytes = SegmentState{stage_.first_op, step, weights}.bytes();
    SnapshotTaken taken;
    taken.step = step;
    taken.hash = hash_of(bytes);
    taken.size = static_cast<Bytes>(bytes.size());
    taken.copy_ms = 1;
    const Duration writing = world().between(milliseconds(2), milliseconds(60));
    loop_.after(writing, [this, taken, bytes] { write(taken, bytes); });
}

void InstanceProcess::write(const SnapshotTaken& snapshot, const std::string& bytes) {
    const auto put = [this, hash = snapshot.hash, bytes] { machine_.store.put(hash, bytes, world().now()); };
    if (machine_.bug == InjectedBug::reports_before_durable) loop_.after(late_writing, put);
    else put();
    feed(instance::SnapshotWritten{snapshot});
}

void InstanceProcess::take_snapshot(std::int64_t step) {
    if (step >= engine_->step()) {
        ordered_.insert(step);
        return;
    }
    SnapshotTaken missed;
    missed.step = step;
    missed.error = Error{ErrorCode::conflict, "the step is over", std::to_string(step), "name a later one"};
    feed(instance::SnapshotWritten{missed});
}

StageEngine::Outlet InstanceProcess::outlet() {
    return {[this](std::int32_t stage, frame::TensorFrame frame) {
                const auto sent = port_.send(peers_.at(stage), std::move(frame));
                if (!sent) watch().violate(id_.value() + " cannot send: " + sent.error().message());
            },
            [this](const frame::TensorKey& key) { port_.release(key); },
            [this](std::int64_t step, float loss) { step_done(step, loss); },
            [this] {
                feed(instance::RunFinished{{TaskId(), id_, stage_.steps, "h", "p", 1}});
            },
            [this](const std::string& what) { watch().violate(id_.value() + ": " + what); },
            [this](std::int64_t step, const std::vector<std::uint64_t>& weights) { step_over(step, weights); }};
}

}  // namespace divisi::sim
