// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/shares.h"

#include <algorithm>

namespace divisi::control::inline state {
namespace {

/// Weight of the newest task in the expected run time of the next task.
constexpr double newest_part = 0.25;

double seconds_of(const TaskView& task, TimePoint now) {
    if (task.placed == TimePoint{}) return 0;
    return std::max(std::chrono::duration<double>(now - task.placed).count(), 0.0);  // a clock may have been set back
}

void forget_one(ClusterState& state, const std::map<std::string, double>& there) {
    auto least = state.submitters.end();
    for (auto at = state.submitters.begin(); at != state.submitters.end(); ++at)
        if (!there.contains(at->first) &&
            (least == state.submitters.end() || at->second.virtual_time < least->second.virtual_time))
            least = at;
    if (least != state.submitters.end()) state.submitters.erase(least);
}

}  // namespace

std::set<NodeId> nodes_of(const ClusterState& state, const TaskId& task) {
    std::set<NodeId> nodes;
    for (auto at = state.instances.lower_bound(InstanceId(task.value() + "/"));
         at != state.instances.end() && at->second.task == task; ++at)
        nodes.insert(at->second.node);
    return nodes;
}

double node_seconds(const ClusterState& state, const TaskView& task, TimePoint now) {
    const double seconds = task.over() ? 0 : seconds_of(task, now);
    return seconds > 0 ? seconds * static_cast<double>(nodes_of(state, task.id).size()) : 0;
}

std::map<std::string, double> virtual_times(const ClusterState& state, TimePoint now) {
    std::map<std::string, double> times;
    for (const auto& [id, task] : state.tasks) {
        if (task.over()) continue;
        const auto known = state.submitters.find(task.submitter);
        const double before = known == state.submitters.end() ? 0 : known->second.virtual_time;
        times.try_emplace(task.submitter, before).first->second +=
            node_seconds(state, task, now) / state.queue.weight_of(task.submitter);
    }
    return times;
}

void begin_share(ClusterState& state, const std::string& submitter, TimePoint now) {
    SubmitterView& view = state.submitters.try_emplace(submitter, SubmitterView{submitter}).first->second;
    const bool is_there = std::any_of(state.tasks.rbegin(), state.tasks.rend(), [&](const auto& entry) {
        return !entry.second.over() && entry.second.submitter == submitter;
    });
    if (is_there) return;
    const auto there = virtual_times(state, now);
    const auto behind = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto least = std::min_element(there.begin(), there.end(), behind);
    double begin = least != there.end() ? least->second : 0;
    // If no submitter is present, begin at the largest known virtual time, so that old usage gives nobody an advantage.
    if (there.empty())
        for (const auto& [name, one] : state.submitters) begin = std::max(begin, one.virtual_time);
    view.virtual_time = std::max(view.virtual_time, begin);
    if (state.submitters.size() <= most_submitters) return;
    auto kept = there;
    kept[submitter] = 0;
    forget_one(state, kept);
}

void charge_share(ClusterState& state, const TaskView& task, TimePoint now) {
    const auto found = state.submitters.find(task.submitter);
    if (found == state.submitters.end() || task.placed == TimePoint{} || task.over()) return;
    SubmitterView& submitter = found->second;
    const double used = node_seconds(state, task, now), seconds = seconds_of(task, now);
    submitter.node_seconds += used;
    submitter.virtual_time += used / state.queue.weight_of(task.submitter);
    submitter.task_s = submitter.task_s == 0 ? seconds : submitter.task_s + newest_part * (seconds - submitter.task_s);
}

}  // namespace divisi::control::inline state
