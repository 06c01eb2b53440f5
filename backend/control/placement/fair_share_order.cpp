// SPDX-License-Identifier: Apache-2.0
#include "backend/control/placement/fair_share_order.h"

#include <algorithm>

#include "backend/control/state/shares.h"

namespace divisi::control::inline placement {
namespace {

/// Minimum expected run time in s, also assumed for submitters without earlier tasks. Because of this minimum, tasks
/// that start together share nodes by weight.
constexpr double least_task_s = 1;

bool earlier(const TaskView* a, const TaskView* b, bool by_priority) {
    if (by_priority && a->priority != b->priority) return a->priority > b->priority;
    return a->submitted_at < b->submitted_at;
}

double expected_s(const ClusterState& state, const std::string& submitter) {
    const auto known = state.submitters.find(submitter);
    return known == state.submitters.end() ? least_task_s : std::max(known->second.task_s, least_task_s);
}

}  // namespace

FairShareOrder::FairShareOrder(const ClusterState& state, TimePoint now) : state_(state) {
    const bool by_share = state.queue.discipline == Discipline::share;
    for (const auto& [id, task] : state.tasks)
        if (task.phase == TaskPhase::queued && !task.held && task.queue == QueueState::nodes)
            lines_[by_share ? task.submitter : std::string()].tasks.push_back(&task);
    const bool by_priority = state.queue.discipline != Discipline::fcfs;
    for (auto& [name, line] : lines_)
        std::sort(line.tasks.begin(), line.tasks.end(),
                  [&](const TaskView* a, const TaskView* b) { return earlier(a, b, by_priority); });
    if (by_share) {
        const auto times = virtual_times(state, now);
        for (auto& [name, line] : lines_) {
            line.behind = times.at(name);
            line.node_cost = expected_s(state, name) / state.queue.weight_of(name);
        }
        // Running tasks are expected to take as long as earlier tasks of their submitter.
        for (const auto& [id, task] : state.tasks) {
            const auto line = lines_.find(task.submitter);
            if (!task.runs() || line == lines_.end()) continue;
            const double weight = state.queue.weight_of(task.submitter);
            const double expected = line->second.node_cost * static_cast<double>(nodes_of(state, id).size());
            line->second.behind += std::max(expected - node_seconds(state, task, now) / weight, 0.0);
        }
    }
    for (const auto& [name, line] : lines_) line_up(name);
}

void FairShareOrder::line_up(const std::string& name) {
    const Line& line = lines_.at(name);
    if (line.at < line.tasks.size()) order_.emplace(line.behind, line.tasks[line.at]->submitted_at, name);
}

const TaskView* FairShareOrder::next() {
    if (waiting_) line_up(last_);
    waiting_ = !order_.empty();
    if (!waiting_) return nullptr;
    last_ = std::get<std::string>(*order_.begin());
    order_.erase(order_.begin());
    Line& line = lines_.at(last_);
    return line.tasks[line.at++];
}

void FairShareOrder::give(const TaskView& task, std::size_t nodes) {
    if (state_.queue.discipline != Discipline::share) return;
    Line& line = lines_.at(task.submitter);
    line.behind += line.node_cost * static_cast<double>(nodes);
}

}  // namespace divisi::control::inline placement
