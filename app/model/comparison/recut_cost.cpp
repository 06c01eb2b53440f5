// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/comparison/recut_cost.h"

#include <algorithm>
#include <set>

namespace divisi::model {

namespace {

/// Returns, for each stage, the index of the operator after the stage's last operator.
std::vector<graph::NodeIndex> ends_of(const LoadedModel& model, const Cuts& cuts) {
    std::vector<graph::NodeIndex> ends;
    for (const std::int32_t cut : cuts) ends.push_back(model.cuts.legal[static_cast<std::size_t>(cut)] + 1);
    ends.push_back(model.node_count());
    return ends;
}

/// Returns the old stages that share operators with the new stage, in descending order of the number of shared
/// operators.
std::vector<std::int32_t> origins(const std::vector<graph::NodeIndex>& before, graph::NodeIndex first,
                                  graph::NodeIndex end) {
    // Pairs of a stage and the negative number of shared operators, so that sorting puts the largest number first.
    std::vector<std::pair<graph::NodeIndex, std::int32_t>> shared;
    graph::NodeIndex from = 0;
    for (std::size_t old = 0; old < before.size(); from = before[old++]) {
        const graph::NodeIndex both = std::min(end, before[old]) - std::max(first, from);
        if (both > 0) shared.emplace_back(-both, static_cast<std::int32_t>(old));
    }
    std::ranges::sort(shared);
    std::vector<std::int32_t> stages;
    for (const auto& [count, stage] : shared) stages.push_back(stage);
    return stages;
}

/// Returns the part of an old stage's snapshot that the new stage needs, in proportion to its operators' weights.
Bytes moved_bytes(const LoadedModel& model, const control::SegmentSnapshot& part,
                  const std::vector<graph::NodeIndex>& before, graph::NodeIndex first, graph::NodeIndex end) {
    const auto old = static_cast<std::size_t>(part.stage);
    const graph::NodeIndex old_first = old == 0 ? 0 : before[old - 1];
    const auto whole = static_cast<double>(model.cost.range(old_first, before[old]).parameters);
    const graph::NodeIndex both_first = std::max(first, old_first), both_end = std::min(end, before[old]);
    const auto moved = static_cast<double>(model.cost.range(both_first, both_end).parameters);
    return whole > 0 ? static_cast<Bytes>(static_cast<double>(part.size) * moved / whole) : part.size;
}

}  // namespace

std::optional<Bytes> bytes_to_bring(const LoadedModel& model, const control::ClusterState& state,
                                    const control::TaskView& task, const Cuts& before, const Cuts& after) {
    if (task.checkpoints.empty() || task.checkpoints.back().generation < task.plan_since) return {};
    std::map<std::int32_t, NodeId> homes;
    for (const control::InstanceView* instance : control::instances_of(state, task.id))
        if (instance->stage >= 0) homes[instance->stage] = instance->node;
    const std::vector<graph::NodeIndex> old_ends = ends_of(model, before);
    std::set<std::int32_t> taken;
    Bytes bytes = 0;
    graph::NodeIndex first = 0;
    for (const graph::NodeIndex end : ends_of(model, after)) {
        const std::vector<std::int32_t> from = origins(old_ends, first, end);
        // If several new stages come from the same old stage, the first one stays on its node. The nodes of the other
        // stages are unknown yet.
        const bool stays = !from.empty() && taken.insert(from.front()).second && homes.contains(from.front());
        for (const control::SegmentSnapshot& part : task.checkpoints.back().parts) {
            if (std::ranges::find(from, part.stage) == from.end()) continue;
            const bool there = stays && std::ranges::find(part.nodes, homes.at(from.front())) != part.nodes.end();
            if (!there) bytes += moved_bytes(model, part, old_ends, first, end);
        }
        first = end;
    }
    return bytes;
}

std::optional<double> last_restart_ms(const control::Incidents& incidents, const TaskId& task) {
    const auto& all = incidents.all();
    const auto seen = std::find_if(all.rbegin(), all.rend(), [&](const control::Incident& one) {
        return one.task == task && one.answer == control::IncidentAnswer::recovers && one.decided != TimePoint{} &&
               one.resumed != TimePoint{};
    });
    if (seen == all.rend()) return {};
    return to_ms(seen->resumed - seen->decided);
}

}  // namespace divisi::model
