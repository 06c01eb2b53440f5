// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/drains.h"

#include <algorithm>
#include <utility>

#include "backend/control/change/recut_placement.h"
#include "backend/control/state/drain_state.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::control::inline change {
namespace {

/// Returns the part of the state that placement uses, with the node drained.
ClusterState as_drained(const ClusterState& state, const NodeId& node) {
    ClusterState after;
    after.name = state.name;
    after.time = state.time;
    after.nodes = state.nodes;
    after.instances = state.instances;
    after.pools = state.pools;
    after.reservations = state.reservations;
    after.nodes.at(node).draining = true;
    return after;
}

/// Returns the part of the current plan that placement needs. Each stage inherits the state of the same stage.
PlanSummary plan_in_force(const TaskView& task, const task::TaskSpec& spec, std::int32_t stages) {
    PlanSummary plan;
    plan.name = task.name;
    plan.stages = stages;
    for (std::int32_t stage = 0; stage < stages; ++stage) plan.inherits.push_back({stage});
    plan.stage_nodes = spec.place.stages;
    plan.data_node = spec.place.data;
    plan.data_instances = static_cast<std::int32_t>(spec.data.instances);
    plan.threads = task.threads;
    plan.memory = task.memory;
    plan.device = spec.place.device;
    plan.wish = spec.place;
    return plan;
}

/// Returns whether the task trains and all its nodes are ready.
bool can_move(const ClusterState& state, const TaskView& task) {
    const auto is_there = [&](const InstanceView* one) {
        // a data instance that was removed from the task is not counted
        if (one->stage == dealt_stage && one->exited) return true;
        const auto node = state.nodes.find(one->node);
        return node != state.nodes.end() && node->second.state == NodeState::ready;
    };
    return task.phase == TaskPhase::exchange && !task.ending &&
           std::ranges::all_of(instances_of(state, task.id), is_there);
}

/// Returns whether this is a dealt data instance of the current plan that has not been told to end.
bool serves(const TaskView& task, const InstanceView& one) {
    return one.stage == dealt_stage && !one.exited && one.state < InstanceState::finished &&
           one.generation == task.generation;
}

}  // namespace

void Drains::adopt() {
    for (const auto& [id, node] : context_.state().nodes)
        if (node.draining) nodes_.insert(id);
    changed_ = true;
}

void Drains::handle(const Received& received, const DrainNode& message) {
    const auto found = context_.state().nodes.find(message.node);
    if (found == context_.state().nodes.end())
        return context_.refuse(received, make_error(error_text("no-such-node"), "node " + message.node.value()));
    const bool drains = found->second.draining;
    if (message.undo && !drains)
        return context_.refuse(received, make_error(error_text("node-not-drained"), "node " + message.node.value()));
    if (!message.undo && !drains)
        if (const auto can = check(message.node); !can) return context_.refuse(received, can.error());
    if (message.undo == drains)
        context_.append(
            DrainChanged{message.node, !message.undo, context_.sessions().at(received.peer).credentials.name});
    context_.answer(received, Done{});
}

Result<void> Drains::check(const NodeId& node) const {
    const ClusterState& state = context_.state();
    // Draining a lost node retires it: if the node comes back, it gets no instances. Refuse the drain if the node still
    // has instances that wait for its return.
    if (state.nodes.at(node).state == NodeState::lost) {
        const auto waiting = running_on(state, node);
        if (waiting.empty()) return {};
        return make_error(error_text("task-waits-for-lost-node"), "node " + node.value(),
                          {waiting.front()->task.value()});
    }
    if (state.nodes.at(node).state != NodeState::ready)
        return make_error(error_text("node-not-ready"), "node " + node.value(),
                          {to_string(state.nodes.at(node).state)});
    const auto is_other = [&](const auto& entry) {
        return entry.first != node && entry.second.state == NodeState::ready && !entry.second.draining;
    };
    if (std::ranges::none_of(state.nodes, is_other)) return make_error(error_text("only-node"), "node " + node.value());
    std::set<TaskId> tasks;
    for (const InstanceView* one : running_on(state, node)) tasks.insert(one->task);
    if (tasks.empty()) return {};
    const ClusterState after = as_drained(state, node);
    for (const TaskId& task : tasks) DIVISI_TRY(check_move(after, state.tasks.at(task), node));
    return {};
}

/// Checks whether the task's stages and data instances on a node could continue elsewhere. A batch need not move.
Result<void> Drains::check_move(const ClusterState& after, const TaskView& task, const NodeId& node) const {
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(task.text, task.id.value()));
    if (spec.task.kind != "train") return {};
    const auto instances = instances_of(after, task.id);
    const auto is_there = [&](const InstanceView* one) { return one->node == node && !one->exited; };
    if (std::ranges::any_of(instances, [&](const auto* one) { return one->stage == data_stage && is_there(one); }))
        return make_error(error_text("data-instance-cannot-move"), "node " + node.value(), {task.id.value()});
    if (std::ranges::any_of(instances, [&](const auto* one) { return serves(task, *one) && is_there(one); }))
        DIVISI_TRY(data_.can_move(task.id, node));
    const auto is_stage = [](const InstanceView* one) { return one->stage >= 0; };
    if (std::ranges::none_of(instances, [&](const auto* one) { return is_stage(one) && is_there(one); })) return {};
    const auto stages = std::ranges::count_if(instances, is_stage);
    const PlanSummary plan = plan_in_force(task, spec, static_cast<std::int32_t>(stages));
    const auto placed = place_next_plan(after, queue_.use(), task, plan, context_.now(), fitness_.unfit_nodes(task.id));
    return placed ? Result<void>() : placed.error();
}

void Drains::follow(const Event& event) {
    if (const auto* change = get_if<DrainChanged>(&event.body)) {
        if (change->drains) nodes_.insert(change->node);
        else nodes_.erase(change->node);
        changed_ = true;
    } else if (const auto* placed = get_if<InstancePlaced>(&event.body)) {
        if (is_draining(context_.state(), placed->node)) nodes_.insert(placed->node);
    } else if (const auto* recut = get_if<TaskRecut>(&event.body)) {
        // all stages of the moved task have their new nodes; the next move need not wait for the task's first step
        // on these nodes
        if (moving_ == recut->task) moving_.reset();
        changed_ = true;
    } else if (const auto* ended = get_if<TaskEnded>(&event.body)) {
        waits_.erase(ended->task);
        changed_ = true;
    } else {
        changed_ |= holds_alternative<PhaseChanged>(event.body) || holds_alternative<InstanceChanged>(event.body) ||
                    holds_alternative<InstanceEnded>(event.body) || holds_alternative<NodeJoined>(event.body) ||
                    holds_alternative<NodeEnded>(event.body);
    }
}

void Drains::poll() {
    for (const auto& [task, error] : recuts_.take_moved()) {
        if (moving_ == task) moving_.reset();
        changed_ = true;
        const auto view = context_.state().tasks.find(task);
        const bool over = view == context_.state().tasks.end() || view->second.over() || view->second.ending;
        if (error && !over) put_off(task, *error);
        else waits_.erase(task);
    }
    if (nodes_.empty()) return;
    for (auto& [task, wait] : waits_)
        if (wait.until && context_.lived() >= *wait.until) {
            wait.until.reset();
            changed_ = true;
        }
    if (!std::exchange(changed_, false)) return;
    tell_drained();
    move_data();
    if (!moving_) move_next();
}

void Drains::tell_drained() {
    std::vector<NodeId> drained;
    for (const NodeId& node : nodes_)
        if (running_on(context_.state(), node).empty()) drained.push_back(node);
    for (const NodeId& node : drained) {
        nodes_.erase(node);
        context_.append(
            Noted{Severity::info, "orchestrator", "", "node " + node.value() + " is drained: nothing runs there"});
    }
}

/// Returns, for each training task, its first data instance on a drained node. Skips a task while a moved data instance
/// is still starting, because only its other data instances serve until then.
std::map<TaskId, const InstanceView*> Drains::data_to_move() const {
    std::map<TaskId, const InstanceView*> found;
    for (const NodeId& node : nodes_)
        for (const InstanceView* one : running_on(context_.state(), node)) {
            const TaskView& task = context_.state().tasks.at(one->task);
            if (serves(task, *one) && is_newest(context_.state(), one->id)) found.try_emplace(one->task, one);
        }
    std::erase_if(found, [&](const auto& entry) {
        const TaskView& task = context_.state().tasks.at(entry.first);
        const auto is_coming = [&](const InstanceView* one) {
            return serves(task, *one) && one->state < InstanceState::running && one != entry.second;
        };
        return !can_move(context_.state(), task) ||
               std::ranges::any_of(instances_of(context_.state(), task.id), is_coming);
    });
    return found;
}

bool Drains::waits(const TaskId& task) const {
    const auto wait = waits_.find(task);
    return wait != waits_.end() && wait->second.until;
}

void Drains::move_data() {
    for (const auto& [id, instance] : data_to_move()) {
        if (waits(id) || moving_ == id) continue;
        const NodeId node = instance->node;
        const auto moved = data_.move(instance->id, "the drain of " + node.value());
        if (!moved) put_off(id, moved.error());
    }
}

/// Returns the training tasks with a stage on a drained node. Data instances move first, so a task is skipped until its
/// data instances serve from their new nodes.
std::map<TaskId, NodeId> Drains::tasks_to_move() const {
    std::map<TaskId, NodeId> tasks;
    for (const NodeId& node : nodes_)
        for (const InstanceView* one : running_on(context_.state(), node)) {
            const TaskView& task = context_.state().tasks.at(one->task);
            const bool of_plan = one->stage >= 0 && !one->retired && one->generation == task.generation;
            if (of_plan && can_move(context_.state(), task)) tasks.try_emplace(one->task, node);
        }
    for (const NodeId& node : nodes_)
        for (const InstanceView* one : running_on(context_.state(), node))
            if (serves(context_.state().tasks.at(one->task), *one)) tasks.erase(one->task);
    std::erase_if(tasks, [&](const auto& entry) {
        const TaskView& task = context_.state().tasks.at(entry.first);
        return std::ranges::any_of(instances_of(context_.state(), task.id), [&](const InstanceView* one) {
            return serves(task, *one) && one->state < InstanceState::running;
        });
    });
    return tasks;
}

void Drains::move_next() {
    for (const auto& [id, node] : tasks_to_move()) {
        if (waits(id)) continue;
        const auto spec = task::parse_task(context_.state().tasks.at(id).text, id.value());
        if (spec && spec->task.kind != "train") continue;  // a batch task stays on its node until it ends
        const auto begun = recuts_.move(id, "the drain of " + node.value());
        if (begun) {
            moving_ = id;
            return;
        }
        put_off(id, begun.error());
    }
}

void Drains::put_off(const TaskId& task, const Error& error) {
    Wait& wait = waits_[task];
    wait.until = context_.lived() + drain_retry;
    if (std::exchange(wait.why, error.message()) == error.message()) return;
    context_.append(Noted{Severity::warning, "orchestrator", task.value(),
                          "stages of the task are still on a drained node; the move is tried again every " +
                              std::to_string(drain_retry / std::chrono::seconds(1)) + " s: " + error.message()});
}

std::optional<TimePoint> Drains::next_deadline() const {
    std::optional<TimePoint> next;
    if (nodes_.empty()) return next;
    for (const auto& [task, wait] : waits_)
        if (wait.until && (!next || *wait.until < *next)) next = wait.until;
    return next;
}

}  // namespace divisi::control::inline change
