// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/watch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "backend/control/protocol/silence.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/wire/message_codec.h"
#include "tests/sim/task_text.h"

namespace divisi::sim {

using namespace control;

std::string content(const ClusterState& state) {
    std::string all;
    for (const Snapshot& page : snapshot_pages(state, {})) {
        auto bytes = wire::encode_page(page);
        all += bytes ? *bytes : bytes.error().message();
    }
    return all;
}

void Watch::violate(const std::string& what) {
    if (violation_) return;
    const auto time = world_.now().time_since_epoch() % std::chrono::seconds(100'000);
    violation_ =
        "after " + std::to_string(log_.size()) + " events, at " + std::to_string(to_ms(time) / 1000) + " s: " + what;
}

void Watch::say(const std::string& what) const {
    static const bool wanted = std::getenv("DIVISI_SIM_TRACE") != nullptr;
    const auto time = world_.now().time_since_epoch() % std::chrono::seconds(100'000);
    if (wanted) std::fprintf(stderr, "%10.6f %s\n", to_ms(time) / 1000, what.c_str());
}

void Watch::durable(const Event& event, const std::string& accuser) {
    say(std::to_string(event.sequence) + " " + describe(event.body));
    if (event.sequence != state_.sequence + 1) violate("the log's sequence has a gap");
    if (const auto* submitted = get_if<TaskSubmitted>(&event.body))
        if (!submitted_.insert(submitted->task).second)
            violate("the id " + submitted->task.value() + " is given twice");
    if (const auto* done = get_if<StepDone>(&event.body)) step(*done);
    if (const auto* granted = get_if<LeaseGranted>(&event.body))
        if (granted->lease.number != state_.lease_book.leases + 1) violate("the numbers of the leases have a gap");
    if (const auto* reclaimed = get_if<LeaseReclaimed>(&event.body)) reclaim(reclaimed->receipt);
    if (const auto* recovery = get_if<TaskRecovers>(&event.body)) recovers(*recovery);
    if (const auto* recut_event = get_if<TaskRecut>(&event.body)) recut(*recut_event);
    if (const auto* commit = get_if<CheckpointCommitted>(&event.body)) committed(*commit);
    // The only sign that a task has used up its recoveries is this log note.
    if (const auto* noted = get_if<Noted>(&event.body); noted && noted->text.starts_with("it recovered "))
        spent_.insert(TaskId(noted->task));
    apply(state_, event);
    log_.push_back(event);
    if (const auto* end = get_if<TaskEnded>(&event.body)) ended(*end);
    if (holds_alternative<InstancePlaced>(event.body)) check_holders();
    if (const auto* node = get_if<NodeEnded>(&event.body)) accuse(node->node.value(), node->reason, accuser);
    if (const auto* changed = get_if<InstanceChanged>(&event.body))
        accuse(changed->instance.value(), changed->detail, accuser);
}

bool Watch::keeps(const std::string& hash) const {
    return std::ranges::any_of(state_.tasks, [&](const auto& task) {
        return std::ranges::any_of(task.second.checkpoints, [&](const Checkpoint& one) {
            return std::ranges::count(one.parts, hash, &SegmentSnapshot::hash) > 0;
        });
    });
}

void Watch::ended(const TaskEnded& event) {
    const std::string& name = event.task.value();
    if (++endings_[event.task] > 1) violate("task " + name + " ended twice");
    const TaskView& task = state_.tasks.at(event.task);
    if (event.outcome == Outcome::succeeded && task.step != task.steps)
        violate("task " + name + " succeeded after " + std::to_string(task.step) + " steps");
    if (event.outcome != Outcome::failed) return;
    if (!event.error) return violate("a task failed without a reason");
    const bool survives = task.answer == task::FaultAnswer::recover && task.started != TimePoint{};
    // A task cannot recover if all disks with its snapshots are lost.
    const bool lost = event.error->code == ErrorCode::not_found && task.from_step > 0 && !has_checkpoint_(task);
    if (survives && !lost && !spent_.contains(event.task))
        violate("task " + name + " failed although it could have recovered: " + event.error->message());
}

/// Checks a recovery: it starts the next generation, from a committed checkpoint or from the beginning.
void Watch::recovers(const TaskRecovers& event) {
    ++recoveries_;
    const TaskView& task = state_.tasks.at(event.task);
    const auto is_it = [&](const Checkpoint& one) { return one.step == event.step; };
    if (event.generation != task.generation + 1) violate("task " + event.task.value() + " skips a generation");
    if (event.step != 0 && std::ranges::none_of(task.checkpoints, is_it))
        violate("task " + event.task.value() + " continues after step " + std::to_string(event.step) +
                ", for which it has no checkpoint");
}

/// Checks a re-cut: it has the new plan's generation and a committed checkpoint. No step is repeated, unless a stage
/// received the hold too late, or was away and continued past the hold.
void Watch::recut(const TaskRecut& event) {
    const TaskView& task = state_.tasks.at(event.task);
    const std::string what = "the re-cut of " + event.task.value() + " after step " + std::to_string(event.step);
    const auto is_it = [&](const Checkpoint& one) { return one.step == event.step; };
    if (event.generation != task.generation) violate(what + " is of another generation than its plan");
    if (std::ranges::none_of(task.checkpoints, is_it)) violate(what + " has no checkpoint");
    if (task.over() || task.ending) violate(what + " is of a task that is ending");
    if (all_stand(event) && task.step > event.step)
        violate(what + " repeats steps: step " + std::to_string(task.step) + " was already done");
    plans_.push_back(event);
}

/// Returns whether every stage of the old plan received the hold in time.
bool Watch::all_stand(const TaskRecut& event) const {
    return std::ranges::all_of(state_.instances, [&](const auto& entry) {
        const InstanceView& one = entry.second;
        const bool is_old = one.task == event.task && one.stage >= 0 && one.generation + 1 == event.generation;
        const auto hold = standing_.find(one.id);
        return !is_old || (hold != standing_.end() && hold->second.in_time);
    });
}

void Watch::stands(const InstanceId& instance, std::int64_t after, std::int64_t now) {
    if (after == 0) standing_.erase(instance);
    else standing_[instance] = {std::max(after, now), after >= now};
}

/// Checks that a stage does no step after its hold. A stage that receives the hold late may finish its current step but
/// must not begin another. The hold can arrive late if every step writes a snapshot anyway.
void Watch::done(const InstanceId& instance, std::int64_t step) {
    const auto hold = standing_.find(instance);
    if (hold != standing_.end() && step > hold->second.last)
        violate(instance.value() + " does step " + std::to_string(step) + " although it was told to hold after step " +
                std::to_string(hold->second.last));
}

/// Checks that no running instance is turned away because an orchestrator has forgotten its task.
void Watch::turned_away(const InstanceId& instance) {
    const auto found = state_.instances.find(instance);
    if (found == state_.instances.end()) return;
    const InstanceView& one = found->second;
    const TaskView& task = state_.tasks.at(one.task);
    const bool plays = one.joined && !one.exited && !one.retired && is_newest(state_, instance);
    if (plays && task.runs() && !task.ending)
        violate(instance.value() + " is turned away although its task " + one.task.value() + " is running");
}

/// Checks that a re-cut reported to a client is durable. Since then, the task may have recovered in a later generation
/// of the same plan.
void Watch::recut_promised(const TaskId& task, const RecutDone& done) {
    const auto is_it = [&](const TaskRecut& one) {
        return one.task == task && one.to == done.plan && one.step == done.step && one.generation <= done.generation;
    };
    if (std::ranges::none_of(plans_, is_it))
        violate("a client received the result of a re-cut of " + task.value() + " that is not durable");
}

void Watch::committed(const CheckpointCommitted& event) {
    ++checkpoints_;
    const TaskView& task = state_.tasks.at(event.task);
    const Checkpoint& checkpoint = event.checkpoint;
    const std::string what =
        "the checkpoint of " + event.task.value() + " after step " + std::to_string(checkpoint.step);
    if (checkpoint.generation != task.generation) violate(what + " is of another generation");
    if (!task.checkpoints.empty() && checkpoint.step <= task.checkpoints.back().step)
        violate(what + " is older than the last");
    if (checkpoint.parts.size() != task.cuts.size() + 1) violate(what + " lacks the snapshot of a stage");
}

/// Checks that in one generation, the consumed tensors of a source SID come from only one of its incarnations.
void Watch::consumed(const frame::TensorFrame& frame) {
    const auto [known, fresh] =
        producers_.try_emplace({frame.key.task, frame.key.generation, frame.source.sid}, frame.source.incarnation);
    if (!fresh && known->second != frame.source.incarnation)
        violate("tensors of two incarnations of one SID are consumed in generation " +
                std::to_string(frame.key.generation));
}

std::string Watch::left_behind() const {
    for (const TaskId& task : submitted_)
        if (!state_.tasks.contains(task)) return "task " + task.value() + " has vanished";
    for (const auto& [number, lease] : state_.leases)
        if (lease.open()) return "lease " + std::to_string(number) + " is never reclaimed";
    return {};
}

/// Checks that each lease is reclaimed once, and that receipts are numbered without gaps.
void Watch::reclaim(const Receipt& receipt) {
    const auto lease = state_.leases.find(receipt.lease.number);
    if (lease == state_.leases.end() || !lease->second.open())
        violate("lease " + std::to_string(receipt.lease.number) + " is reclaimed twice, or was never granted");
    if (receipt.number != state_.lease_book.receipts + 1) violate("the numbers of the receipts have a gap");
}

void Watch::step(const StepDone& event) {
    const auto task = state_.tasks.find(event.task);
    const std::string what = "step " + std::to_string(event.record.step) + " of " + event.task.value();
    if (task == state_.tasks.end() || event.record.step != task->second.step + 1)
        return violate(what + " is out of order");
    auto training = trainings_.find(event.task);
    if (training == trainings_.end()) {
        const auto text = read_task(task->second.text);
        if (!text) return violate(text.error().message());
        training = trainings_.try_emplace(event.task, text->operators, text->steps).first;
    }
    if (event.record.step > training->second.steps()) return violate(what + " is after the last step");
    if (event.record.loss != training->second.loss(event.record.step))
        violate(what + " has another loss than in an undisturbed training");
}

/// Checks the declaration that a peer is silent. A peer with unread messages may be declared silent only if it was
/// already silent when the declaring process was last stopped.
void Watch::accuse(const std::string& role, const std::string& why, const std::string& accuser) {
    const auto player = players_.find(role);
    if (why.find("fell silent") == std::string::npos || player == players_.end()) return;
    const Network::Hearing hearing = network_.hearing(player->second, accuser);
    if (hearing.unread && hearing.quiet < peer_timeout) violate(role + " is declared silent but has unread messages");
}

/// Checks that no node is held by two tasks. Recovered tasks are exempt: they run where their snapshots are, even if
/// the node is already in use.
void Watch::check_holders() {
    std::map<NodeId, TaskId> holders;
    for (const auto& [id, instance] : state_.instances) {
        const TaskView& task = state_.tasks.at(instance.task);
        if (task.over() || task.recovered > 0 || has_left(task, instance)) continue;
        const auto [holder, fresh] = holders.emplace(instance.node, instance.task);
        if (!fresh && holder->second != instance.task) violate("two tasks hold node " + instance.node.value());
    }
}

void Watch::restored(const ClusterState& state) {
    if (content(state) != content(state_))
        violate("a restarted orchestrator begins with another state than the durable one");
}

void Watch::promised(const TaskId& task) {
    if (!submitted_.contains(task)) violate("a client was promised " + task.value() + ", which is not durable");
    if (!promised_.insert(task).second) violate("two clients were promised " + task.value());
}

void Watch::follows(const ClusterState& shown) {
    if (shown.sequence > state_.sequence) return violate("a client's state is ahead of the durable state");
    for (const auto& [id, task] : shown.tasks) {
        std::int64_t last = 0;
        for (const StepRecord& record : task.history)
            if (record.step != ++last)
                violate("the curve of " + id.value() + " has a gap at step " + std::to_string(last));
        // Until a step is repeated, the curve shows its old value.
        const bool again = !task.history.empty() && task.history.back().generation < task.generation;
        if (again ? last < task.step : last != task.step) violate("the curve of " + id.value() + " ends too early");
    }
}

void Watch::follows(const ClusterState& shown, const Event& event) {
    if (event.sequence > state_.sequence) return violate("a client's state is ahead of the durable state");
    if (event.sequence != shown.sequence + 1) violate("a client received an event out of order");
    const Event& own = log_[event.sequence - 1];
    if (own.time != event.time || own.body.index() != event.body.index() || describe(own.body) != describe(event.body))
        violate("a client received another event " + std::to_string(event.sequence) + " than is durable");
}

void Watch::holds(const std::string& what, std::size_t count, std::size_t most) {
    if (count > most) violate(what + " holds " + std::to_string(count) + ", more than " + std::to_string(most));
}

}  // namespace divisi::sim
