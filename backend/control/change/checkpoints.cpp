// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/checkpoints.h"

#include <algorithm>

#include "backend/control/change/snapshot_neighbour.h"
#include "backend/control/state/needed_blobs.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline change {
namespace {

/// Returns whether the blob is lost: it is missing where its instance stored it, or its content is corrupt.
bool is_lost(const Error& error) { return error.code == ErrorCode::not_found || error.code == ErrorCode::corrupt; }

}  // namespace

std::vector<const InstanceView*> stages_of(const ClusterState& state, const TaskId& task) {
    std::vector<const InstanceView*> stages = instances_of(state, task);
    std::erase_if(stages, [](const InstanceView* one) { return one->stage < 0; });
    return stages;
}

std::int64_t last_commit(const TaskView& task) { return task.checkpoints.empty() ? 0 : task.checkpoints.back().step; }

void Checkpoints::adopt() {
    for (const auto& [id, task] : context_.state().tasks) {
        if (!task.runs() || task.ending) continue;
        cares_[id].committed = task.checkpoints;
        cares_[id].adopted = true;
        arm(id);
    }
}

// --- snapshots ----------------------------------------------------------------------------------

/// Returns the sender if it is the newest incarnation of a SID that is a stage of the current generation. Otherwise
/// returns null, and the message is ignored.
const InstanceView* Checkpoints::heard(const SnapshotTaken& message) const {
    const auto task = context_.state().tasks.find(message.task);
    const auto instance = context_.state().instances.find(message.instance);
    if (task == context_.state().tasks.end() || instance == context_.state().instances.end()) return nullptr;
    const bool trains = task->second.runs() && !task->second.ending;
    const bool in_force =
        message.generation == task->second.generation && message.generation == instance->second.generation;
    const bool is_stage = instance->second.task == message.task && instance->second.stage >= 0;
    if (!trains || !in_force || !is_stage || !is_newest(context_.state(), message.instance)) return nullptr;
    return &instance->second;
}

void Checkpoints::handle(const Received&, const SnapshotTaken& message) {
    const InstanceView* instance = heard(message);
    const auto known = context_.state().instances.find(message.instance);
    if (known == context_.state().instances.end()) return;
    const SegmentSnapshot snapshot{
        known->second.sid, known->second.stage, message.hash, message.size, {known->second.node}};
    if (!instance || message.step <= last_commit(task_of(message.task))) return drop(snapshot);
    const TaskView& task = task_of(message.task);
    if (message.error) return missing(task, message.step, instance->sid.value(), *message.error);
    if (!is_blob_hash(message.hash) || message.size < 0)
        return missing(task, message.step, instance->sid.value(),
                       make_error(error_text("snapshot-is-no-blob"), message.hash.substr(0, 64)));
    Step& step = cares_[task.id].steps[message.step];
    if (step.given_up) return drop(snapshot);
    // Ignore a snapshot that was reported before.
    if (!step.parts.try_emplace(instance->stage, Part{snapshot, {}, {}}).second) return;
    step.copy_ms = std::max(step.copy_ms, message.copy_ms);
    if (step.parts.size() == stages_of(context_.state(), task.id).size()) whole(task.id, message.step);
    forget_oldest(task.id);
}

/// Handles a missing snapshot. Repeats an order that came too late; logs any other reason.
void Checkpoints::missing(const TaskView& task, std::int64_t number, const std::string& whose, const Error& error) {
    Care& care = cares_[task.id];
    const bool was_ordered = care.ordered == number;
    const bool late = error.code == ErrorCode::conflict;
    give_up(care, number);
    forget_oldest(task.id);
    if (was_ordered && late) order_again(task, care);
    else if (!late)
        note(task.id, "no checkpoint after step " + std::to_string(number) + ", because " + whose +
                          " has no snapshot of it: " + error.message());
    copy_next(task.id);
}

void Checkpoints::forget_oldest(const TaskId& task) {
    Care& care = cares_.at(task);
    while (care.steps.size() > most_pending_steps) {
        const auto oldest = std::ranges::find_if(care.steps, [&](const auto& one) { return one.first != care.copied; });
        const std::int64_t number = oldest->first;
        give_up(care, number);
        care.steps.erase(number);
    }
}

/// Marks a step complete. Gives up the other complete steps that are older than the newest complete one, except the
/// step that is being copied. If the stages were to hold before this step, the order came too late, and they hold after
/// this step instead.
void Checkpoints::whole(const TaskId& task, std::int64_t number) {
    Care& care = cares_.at(task);
    care.steps.at(number).whole = true;
    if (care.last && number > *care.last) care.last = number;
    measured(task_of(task), care, care.steps.at(number).copy_ms);
    std::vector<std::int64_t> waiting;
    for (const auto& [other, step] : care.steps)
        if (step.whole && other != care.copied) waiting.push_back(other);
    const std::int64_t newest = std::max(care.copied.value_or(0), waiting.back());
    for (const std::int64_t other : waiting)
        if (other < newest) give_up(care, other);
    copy_next(task);
}

// --- copies -------------------------------------------------------------------------------------

/// Starts to copy a complete step whose nodes are all connected. After a restart, instances may connect before their
/// nodes and repeat old reports. Only the node knows whether it still has the snapshot.
void Checkpoints::copy_next(const TaskId& task) {
    Care& care = cares_.at(task);
    if (care.copied || care.held) return;
    const auto is_away = [&](const auto& part) { return !context_.sessions().of(part.second.snapshot.nodes.front()); };
    const auto next = std::ranges::find_if(care.steps, [&](const auto& one) {
        return one.second.whole && std::ranges::none_of(one.second.parts, is_away);
    });
    if (next != care.steps.end()) copy(task, next->first);
}

void Checkpoints::copy(const TaskId& task, std::int64_t number) {
    Care& care = cares_.at(task);
    care.copied = number;
    for (auto& [stage, part] : care.steps.at(number).parts)
        if (!order_copy(task, number, part)) return;
    commit_if_copied(task, number);
}

/// Returns the node that gets a copy of a snapshot. After a restart, if no other node can take a copy, returns the
/// snapshot's own node, to ask whether the snapshot exists. The question is needed because instances may repeat reports
/// of snapshots that were given up and deleted.
std::optional<NodeId> Checkpoints::node_for_copy(const TaskId& task, const Part& part) const {
    const NodeId& own = part.snapshot.nodes.front();
    const auto other = snapshot_neighbour(context_, task, own, part.tried);
    const bool can_tell = !context_.state().nodes.at(own).info.blob_endpoint.empty();
    if (other || !cares_.at(task).adopted || !can_tell || part.tried.contains(own)) return other;
    return own;
}

/// Orders the copy of a snapshot. Returns whether the step is still wanted.
bool Checkpoints::order_copy(const TaskId& task, std::int64_t number, Part& part) {
    const NodeId own = part.snapshot.nodes.front();
    const auto to = node_for_copy(task, part);
    if (!to) return true;
    if (!copies_.contains({part.snapshot.hash, *to})) {
        const auto ordered = transfers_.bring(part.snapshot.hash, own, *to, *this);
        part.copying = to;
        if (!ordered) return copy_failed(task, number, part, ordered.error());
        copies_.emplace(std::pair(part.snapshot.hash, *to), own);
    }
    part.copying = to;
    return true;
}

/// Handles a failed copy. Returns whether the step is still wanted: a snapshot without a copy is acceptable, but its
/// own node must have it.
bool Checkpoints::copy_failed(const TaskId& task, std::int64_t number, Part& part, const Error& error) {
    const NodeId own = part.snapshot.nodes.front(), to = *std::exchange(part.copying, std::nullopt);
    const std::string of = "the snapshot of " + part.snapshot.sid.value() + " after step " + std::to_string(number);
    if (is_lost(error) || !context_.sessions().of(own)) {
        note(task, of + " was lost with node " + own.value() + " before it was copied: " + error.message());
        Care& care = cares_.at(task);
        give_up(care, number);
        copy_next(task);
        return false;
    }
    part.tried.insert(to);
    if (part.tried.size() < most_copy_tries && snapshot_neighbour(context_, task, own, part.tried))
        return order_copy(task, number, part);
    note(task, of + " is only on node " + own.value() + ", without a copy: " + error.message());
    return true;
}

/// Records the result of a copy for every task that waits for the blob, whichever task ordered it.
void Checkpoints::brought(const std::string& hash, const NodeId& to, std::uint64_t, const std::optional<Error>& error) {
    const auto order = copies_.extract({hash, to});
    std::vector<TaskId> tasks;
    for (const auto& [task, care] : cares_)
        if (care.copied) tasks.push_back(task);
    bool wanted = false;
    for (const TaskId& task : tasks) {
        Care& care = cares_.at(task);
        if (!care.copied) continue;
        const std::int64_t number = *care.copied;
        for (auto& [stage, part] : care.steps.at(number).parts) {
            if (part.snapshot.hash != hash || part.copying != to) continue;
            wanted = true;
            if (error && !copy_failed(task, number, part, *error)) break;  // the step was given up
            if (error) continue;
            part.copying.reset();
            if (to != part.snapshot.nodes.front()) part.snapshot.nodes.push_back(to);
        }
        commit_if_copied(task, number);
    }
    if (!wanted && !order.empty()) drop({{}, 0, hash, 0, {order.mapped(), to}});
}

// --- commits ------------------------------------------------------------------------------------

void Checkpoints::commit_if_copied(const TaskId& task, std::int64_t number) {
    const Care& care = cares_.at(task);
    if (care.copied != number || care.held) return;
    const auto& parts = care.steps.at(number).parts;
    if (std::ranges::none_of(parts, [](const auto& one) { return one.second.copying.has_value(); }))
        commit(task, number);
}

void Checkpoints::hold(const TaskId& task) { cares_[task].held = true; }

void Checkpoints::let_go(const TaskId& task) {
    const auto found = cares_.find(task);
    if (found == cares_.end()) return;
    found->second.held = false;
    if (found->second.last) go_on(task, found->second);
    if (const auto copied = found->second.copied) commit_if_copied(task, *copied);
    else copy_next(task);
}

/// Commits a step and drops the older steps, which are now useless.
void Checkpoints::commit(const TaskId& id, std::int64_t number) {
    Care& care = cares_.at(id);
    Checkpoint checkpoint{task_of(id).generation, number, context_.now(), {}};
    for (const auto& [stage, part] : care.steps.at(number).parts) checkpoint.parts.push_back(part.snapshot);
    care.steps.erase(number);
    care.copied.reset();
    context_.append(CheckpointCommitted{id, std::move(checkpoint)});
    while (!care.steps.empty() && care.steps.begin()->first < number) {
        give_up(care, care.steps.begin()->first);
        care.steps.erase(care.steps.begin());
    }
    if (care.ordered && *care.ordered <= number) order_over(care);
    copy_next(id);
}

/// Gives up a step, complete or not. Copies that have begun still finish and are then deleted.
void Checkpoints::give_up(Care& care, std::int64_t number) {
    Step& step = care.steps[number];
    const Step before = std::exchange(step, Step{{}, 0, false, true});
    if (care.copied == number) care.copied.reset();
    if (care.ordered == number) order_over(care);
    for (const auto& [stage, part] : before.parts) {
        if (!part.copying || is_copied_to(part.snapshot.hash, *part.copying)) continue;
        if (transfers_.withdraw(part.snapshot.hash, *part.copying, *this))
            copies_.erase({part.snapshot.hash, *part.copying});
    }
    drop(before);
}

void Checkpoints::give_up_all(Care& care) {
    std::vector<std::int64_t> numbers;
    for (const auto& [number, step] : care.steps) numbers.push_back(number);
    for (const std::int64_t number : numbers) give_up(care, number);
    care.steps.clear();
    order_over(care);
    care.due.reset();
    care.last.reset();
}

/// Returns whether a step that was not given up waits for this copy.
bool Checkpoints::is_copied_to(const std::string& hash, const NodeId& node) const {
    const auto waits = [&](const auto& part) {
        return part.second.copying == node && part.second.snapshot.hash == hash;
    };
    return std::ranges::any_of(cares_, [&](const auto& entry) {
        const Care& care = entry.second;
        return care.copied && std::ranges::any_of(care.steps.at(*care.copied).parts, waits);
    });
}

// --- unneeded blobs -----------------------------------------------------------------------------

void Checkpoints::drop(const Step& step) {
    for (const auto& [stage, part] : step.parts) drop(part.snapshot);
}

void Checkpoints::drop(const SegmentSnapshot& snapshot) {
    if (!is_blob_hash(snapshot.hash)) return;
    for (const NodeId& node : snapshot.nodes) dropped_[node].insert(snapshot.hash);
}

/// Drops the blobs of checkpoints that the state no longer has.
void Checkpoints::forget_dropped(const TaskId& id) {
    const auto care = cares_.find(id);
    if (care == cares_.end()) return;
    for (const Checkpoint& one : care->second.committed)
        for (const SegmentSnapshot& part : one.parts) drop(part);
    const auto task = context_.state().tasks.find(id);
    care->second.committed.clear();
    if (task != context_.state().tasks.end()) care->second.committed = task->second.checkpoints;
}

std::set<std::string> Checkpoints::pending_blobs() const {
    std::set<std::string> pending;
    for (const auto& [order, from] : copies_) pending.insert(order.first);
    for (const auto& [task, care] : cares_)
        for (const auto& [number, step] : care.steps)
            for (const auto& [stage, part] : step.parts) pending.insert(part.snapshot.hash);
    return pending;
}

/// Returns the dropped blobs that nothing needs, by node. The result includes blobs that no checkpoint names: nodes got
/// these blobs for a re-cut that was given up or ended long ago.
Checkpoints::Blobs Checkpoints::take_dropped() {
    for (const auto& [hash, node] : transfers_.take_brought()) dropped_[node].insert(hash);
    Blobs dropped = std::exchange(dropped_, {});
    std::set<std::string> all;
    for (const auto& [node, hashes] : dropped) all.insert(hashes.begin(), hashes.end());
    if (all.empty()) return {};
    for (const std::string& hash : needed_blobs(context_.state(), {all.begin(), all.end()}, pending_blobs())) {
        all.erase(hash);
        for (auto& [node, hashes] : dropped) hashes.erase(hash);
    }
    for (const std::string& hash : all)
        for (const NodeId& node : transfers_.forget_copies(hash)) dropped[node].insert(hash);
    return dropped;
}

void Checkpoints::poll() {
    abort_pending();
    std::vector<TaskId> tasks;  // a copy of the keys, since a commit may remove a task
    for (const auto& [task, care] : cares_) tasks.push_back(task);
    for (const TaskId& task : tasks)
        if (cares_.contains(task)) copy_next(task);
    // A node that is away finds the unneeded blobs itself once it runs out of room.
    for (const auto& [node, hashes] : take_dropped())
        if (!hashes.empty()) context_.tell(node, DropBlobs{{hashes.begin(), hashes.end()}});
}

void Checkpoints::follow(const Event& event) {
    if (const auto* step = get_if<StepDone>(&event.body)) step_done(step->task);
    else if (const auto* phase = get_if<PhaseChanged>(&event.body)) arm(phase->task);
    else if (const auto* committed = get_if<CheckpointCommitted>(&event.body)) forget_dropped(committed->task);
    else if (const auto* recovers = get_if<TaskRecovers>(&event.body)) {
        begin_again(recovers->task);
    } else if (const auto* recut = get_if<TaskRecut>(&event.body)) {
        begin_again(recut->task);
    } else if (const auto* ending = get_if<TaskEnding>(&event.body)) {
        if (const auto care = cares_.find(ending->task); care != cares_.end()) give_up_all(care->second);
    } else if (const auto* ended = get_if<TaskEnded>(&event.body)) {
        if (const auto care = cares_.find(ended->task); care != cares_.end()) give_up_all(care->second);
        forget_dropped(ended->task);
        cares_.erase(ended->task);
    }
}

/// Starts a new generation: gives up all work for the old generation.
void Checkpoints::begin_again(const TaskId& task) {
    if (const auto care = cares_.find(task); care != cares_.end()) {
        give_up_all(care->second);
        care->second.adopted = false;
    }
    forget_dropped(task);
}

void Checkpoints::note(const TaskId& task, const std::string& text) {
    if (const auto line = cares_.at(task).notes.pass(text, context_.now()))
        context_.append(Noted{Severity::warning, "checkpoints", task.value(), *line});
}

void Checkpoints::check_deadlines() {
    for (auto& [id, care] : cares_) {
        if (const auto line = care.notes.due(context_.now()))
            context_.append(Noted{Severity::warning, "checkpoints", id.value(), *line});
        const TaskView& task = task_of(id);
        if (const auto due = next_order(task, care); due && context_.lived() >= *due) order_due(task, care);
    }
}

std::optional<TimePoint> Checkpoints::next_deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [id, care] : cares_)
        if (const auto due = next_order(task_of(id), care); due && (!next || *due < *next)) next = due;
    return next;
}

}  // namespace divisi::control::inline change
