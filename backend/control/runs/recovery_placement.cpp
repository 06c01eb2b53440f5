// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/recovery_placement.h"

#include <algorithm>

#include "backend/control/placement/placement.h"
#include "backend/control/runs/standby_pool.h"
#include "backend/control/runs/task_instances.h"
#include "backend/control/state/drain_state.h"
#include "backend/task/parse.h"

namespace divisi::control::inline runs {

std::vector<const SegmentSnapshot*> parts_for(const TaskView& task, const Checkpoint& checkpoint,
                                              const InstanceView& instance) {
    const auto stage = static_cast<std::size_t>(instance.stage);
    const bool recut = instance.stage >= 0 && checkpoint.generation < task.plan_since && stage < task.origins.size();
    const auto is_of = [&](const SegmentSnapshot& part) {
        return recut ? std::ranges::count(task.origins[stage].from, part.stage) > 0 : part.sid == instance.sid;
    };
    std::vector<const SegmentSnapshot*> parts;
    for (const SegmentSnapshot& part : checkpoint.parts)
        if (is_of(part)) parts.push_back(&part);
    return parts;
}

Restore restore_for(const TaskView& task, const InstanceView& instance) {
    Restore restore{task.from_step, {}};
    for (const Checkpoint& one : task.checkpoints) {
        if (one.step != task.from_step) continue;
        for (const SegmentSnapshot* part : parts_for(task, one, instance)) restore.hashes.push_back(part->hash);
    }
    return restore;
}

const Checkpoint* RecoveryPlacement::checkpoint_for(const TaskView& task) const {
    if (task.checkpoints.empty()) return nullptr;
    const auto instances = instances_of(context_.state(), task.id);
    const auto can_go_on = [&](const Checkpoint& from, const InstanceView& instance, bool later) {
        const auto parts = parts_for(task, from, instance);
        if (task.answer == task::FaultAnswer::wait) return fitness_.has_snapshots(task.id, instance.node, parts);
        return parts.empty() || std::ranges::any_of(parts.front()->nodes, [&](const NodeId& node) {
                   const bool stays = node == instance.node && fitness_.may_play(task.id, node, instance.sid);
                   const bool can = later || context_.sessions().of(node);
                   return can && (stays || !fitness_.is_unfit(task.id, node)) &&
                          fitness_.has_snapshots(task.id, node, parts);
               });
    };
    for (const bool later : {false, true})
        for (auto one = task.checkpoints.rbegin(); one != task.checkpoints.rend(); ++one)
            if (std::ranges::all_of(instances, [&](const auto* each) { return can_go_on(*one, *each, later); }))
                return &*one;
    return &task.checkpoints.back();
}

NodeId RecoveryPlacement::node_for(const TaskView& task, const InstanceView& before, const Checkpoint* from,
                                   const std::set<NodeId>& taken) const {
    if (task.answer == task::FaultAnswer::wait) return before.node;
    std::vector<const SegmentSnapshot*> parts;
    if (from) parts = parts_for(task, *from, before);
    const auto has_parts = [&](const NodeId& node) { return fitness_.has_snapshots(task.id, node, parts); };
    const auto can_go_on = [&](const NodeId& node) { return fitness_.is_fit(task.id, node) && has_parts(node); };
    if (can_go_on(before.node) || is_bound(context_.state(), before)) return before.node;
    if (!parts.empty()) {
        const auto& holders = parts.front()->nodes;
        auto other = std::ranges::find_if(
            holders, [&](const NodeId& node) { return can_go_on(node) && !is_draining(context_.state(), node); });
        if (other == holders.end()) other = std::ranges::find_if(holders, can_go_on);
        const bool stays = fitness_.can_play(task.id, before.node, before.sid) && has_parts(before.node);
        if (other == holders.end() && !stays && (fitness_.is_unfit(task.id, before.node) || !has_parts(before.node)))
            other = std::ranges::find_if(
                holders, [&](const NodeId& node) { return !fitness_.is_unfit(task.id, node) && has_parts(node); });
        return other == holders.end() ? before.node : *other;
    }
    return other_node_for_stage(task, before, taken).value_or(before.node);
}

/// Returns a node with room that the task may use and that is not in `taken`; otherwise a node that the task already
/// uses. A stage of a secure node moves only to secure nodes.
std::optional<NodeId> RecoveryPlacement::other_node_for_stage(const TaskView& task, const InstanceView& before,
                                                              const std::set<NodeId>& taken) const {
    const auto spec = task::parse_task(task.text, task.id.value());
    if (!spec) return std::nullopt;
    PlanSummary one;
    one.threads = task.threads;
    one.memory = task.memory;
    one.wish = spec->place;
    one.device = spec->place.device;
    const PlacementRequest request{task.submitter, task.id, context_.now(), task.most_seconds};
    const auto& nodes = context_.state().nodes;
    const auto is_secure = [&](const NodeId& node) { return nodes.contains(node) && nodes.at(node).info.secure; };
    const bool guarded = is_secure(before.node);
    const auto can = [&](const NodeId& node) {
        return fitness_.is_fit(task.id, node) && (!guarded || is_secure(node));
    };
    Vacancies free(context_.state(), use_of(context_.state()));
    for (const NodeId& node : free.in_turn(one, request, nodes.size()))
        if (can(node) && !taken.contains(node) && !free.obstacle({node}, one, request)) return node;
    for (const InstanceView* other : instances_of(context_.state(), task.id))
        if (other->node != before.node && can(other->node) && !is_draining(context_.state(), other->node))
            return other->node;
    return std::nullopt;
}

std::map<Sid, Continuation> RecoveryPlacement::continuations(const TaskView& task,
                                                             const std::vector<const InstanceView*>& before,
                                                             const Checkpoint* from, const InstanceId& culprit) const {
    std::map<Sid, Continuation> next;
    std::set<NodeId> nodes;
    std::set<InstanceId> standbys;
    for (const InstanceView* one : before) {
        if (!is_placed_again(*one)) continue;
        Continuation& then = next[one->sid];
        then.node = node_for(task, *one, from, nodes);
        const bool stays = one->id != culprit && one->joined && !one->exited && one->node == then.node;
        const InstanceView* standby = stays ? nullptr : standby_for(task, *one, from, then.node, standbys);
        if (standby) then = {standby->node, standby->id};
        if (standby) standbys.insert(standby->id);
        nodes.insert(then.node);
    }
    return next;
}

/// Returns a standby on the node where the instance continues, else on an equivalent node; null if there is none.
/// Prefers ready standbys.
///
/// A running process saves the start of a new process, which is the longest part of a recovery. An instance that the
/// task file or its data files bind to a node stays there.
const InstanceView* RecoveryPlacement::standby_for(const TaskView& task, const InstanceView& before,
                                                   const Checkpoint* from, const NodeId& node,
                                                   const std::set<InstanceId>& taken) const {
    std::vector<const SegmentSnapshot*> parts;
    if (from) parts = parts_for(task, *from, before);
    const auto spec = task::parse_task(task.text, task.id.value());
    const bool may_move = before.stage >= 0 && spec && !places_stages(*spec) && !is_bound(context_.state(), before);
    const auto can_take_over = [&](const InstanceView& one) {
        if (!stands_by(one) || !context_.sessions().of(one.id) || !fitness_.is_fit(task.id, one.node)) return false;
        if (taken.contains(one.id) || (one.node != node && is_draining(context_.state(), one.node))) return false;
        return one.node == node || (may_move && fitness_.has_snapshots(task.id, one.node, parts) &&
                                    is_alike(context_.state(), before.node, one.node));
    };
    const auto rank = [&](const InstanceView& one) {
        return std::pair(one.node != node, one.state != InstanceState::standby);
    };
    const InstanceView* best = nullptr;
    for (const InstanceView* one : standbys_of(context_.state(), task.id))
        if (can_take_over(*one) && (!best || rank(*one) < rank(*best))) best = one;
    return best;
}

}  // namespace divisi::control::inline runs
