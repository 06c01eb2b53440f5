// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state.h"

#include <algorithm>

namespace divisi::control {
namespace {

template <typename T>
void push_bounded(std::deque<T>& items, const T& item, std::size_t limit) {
    items.push_back(item);
    if (items.size() > limit) items.pop_front();
}

/// What a unit's state is while its instance is in `state`.
UnitState unit_state(InstanceState state) {
    switch (state) {
        case InstanceState::running: return UnitState::running;
        case InstanceState::finished:
        case InstanceState::stopped: return UnitState::done;
        case InstanceState::failed: return UnitState::failed;
        default: return UnitState::waiting;
    }
}

class Fold {
public:
    Fold(ClusterState& state, TimePoint time) : state_(state), time_(time) {}

    void operator()(const ClusterStarted& e) {
        state_.name = e.name;
        state_.version = e.version;
        state_.stated_links = e.links;
        // Processes do not survive their orchestrator's restart; whoever lives on joins again.
        for (auto& [id, node] : state_.nodes) node.state = NodeState::lost;
    }
    void operator()(const NodeJoined& e) { state_.nodes[e.node.id] = {e.node, NodeState::ready, time_, {}}; }
    void operator()(const NodeEnded& e) {
        if (const auto found = state_.nodes.find(e.node); found != state_.nodes.end()) {
            found->second.state = e.state;
            found->second.since = time_;
            found->second.reason = e.reason;
        }
    }
    void operator()(const TaskSubmitted& e) {
        TaskView task;
        task.id = e.task;
        task.name = e.name;
        task.text = e.text;
        task.folder = e.folder;
        task.skeleton = e.skeleton;
        task.files = e.files;
        task.submitted_by = e.submitted_by;
        task.priority = e.priority;
        task.submitted = time_;
        state_.tasks[e.task] = std::move(task);
    }
    void operator()(const TaskPlanned& e) {
        if (TaskView* task = find(e.task)) {
            task->generation = e.generation;
            task->cuts = e.cuts;
            task->steps = e.steps;
            task->batch = e.batch;
            task->model = e.model;
            task->plan_hash = e.plan_hash;
            task->units = e.units;
        }
    }
    void operator()(const InstancePlaced& e) {
        state_.instances[e.instance] = {e.instance, e.task, e.sid, e.node, e.stage, InstanceState::placed, time_, {}};
    }
    void operator()(const InstanceChanged& e) {
        const auto found = state_.instances.find(e.instance);
        if (found == state_.instances.end()) return;
        InstanceView& instance = found->second;
        instance.state = e.state;
        instance.since = time_;
        instance.detail = e.detail;
        if (TaskView* task = find(instance.task))
            for (UnitView& unit : task->units)
                if (unit.instance == e.instance && unit.state != UnitState::failed) unit.state = unit_state(e.state);
    }
    void operator()(const PhaseChanged& e) {
        if (TaskView* task = find(e.task)) {
            task->phase = e.phase;
            task->phase_detail = e.detail;
            if (e.phase == TaskPhase::exchange && task->started == TimePoint{}) task->started = time_;
        }
    }
    void operator()(const StepDone& e) {
        if (TaskView* task = find(e.task)) {
            task->step = e.record.step;
            push_bounded(task->history, e.record, history_limit);
        }
    }
    void operator()(const Evaluated& e) {
        if (TaskView* task = find(e.task)) push_bounded(task->evaluations, e.record, history_limit);
    }
    void operator()(const WeightsStored& e) {
        TaskView* task = find(e.task);
        if (!task) return;
        const auto same = [&](const WeightsStored& w) { return w.instance == e.instance; };
        std::erase_if(task->weights, same);
        task->weights.push_back(e);
    }
    void operator()(const TaskEnded& e) {
        if (TaskView* task = find(e.task)) {
            task->phase = TaskPhase::ended;
            task->phase_detail.clear();
            task->outcome = e.outcome;
            task->error = e.error;
            task->ended = time_;
            forget_oldest_ended();
        }
    }
    void operator()(const KeyChanged& e) {
        if (e.revoked) state_.keys.erase(e.public_key);
        else state_.keys[e.public_key] = e;
    }
    void operator()(const Noted&) {}
    void operator()(const LinkMeasured& e) {
        state_.links[key_of(e)] = {e, time_};
        if (state_.links.size() <= link_limit) return;
        const auto older = [](const auto& a, const auto& b) { return a.second.measured < b.second.measured; };
        state_.links.erase(std::min_element(state_.links.begin(), state_.links.end(), older));
    }

private:
    TaskView* find(const TaskId& id) {
        const auto found = state_.tasks.find(id);
        return found == state_.tasks.end() ? nullptr : &found->second;
    }
    void forget_oldest_ended() {
        std::size_t ended = 0;
        const TaskView* oldest = nullptr;
        for (const auto& [id, task] : state_.tasks) {
            if (!task.over()) continue;
            ++ended;
            if (!oldest || task.ended < oldest->ended) oldest = &task;
        }
        if (ended <= ended_task_limit) return;
        const TaskId id = oldest->id;
        std::erase_if(state_.instances, [&](const auto& entry) { return entry.second.task == id; });
        state_.tasks.erase(id);
    }

    ClusterState& state_;
    TimePoint time_;
};

}  // namespace

LinkKey key_of(const LinkMeasured& link) { return {link.from_host, link.to_host, link.transport}; }

void apply(ClusterState& state, const Event& event) {
    if (event.sequence != 0 && event.sequence <= state.sequence) return;
    std::visit(Fold(state, event.time), event.body);
    state.sequence = event.sequence;
    state.time = event.time;
    if (!std::holds_alternative<StepDone>(event.body)) push_bounded(state.recent, event, recent_limit);
}

}  // namespace divisi::control
