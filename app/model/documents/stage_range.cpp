// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/stage_range.h"

#include <algorithm>

namespace divisi::model {

namespace {

/// Returns whether all positions exist in this model. A previously shown model may have had more legal positions.
bool are_cuts_of(const LoadedModel& model, const std::vector<std::int32_t>& cuts) {
    return std::ranges::all_of(
        cuts, [&](std::int32_t cut) { return static_cast<std::size_t>(cut) < model.cuts.legal.size(); });
}

}  // namespace

std::optional<OperatorRange> range_of_stage(const LoadedModel& model, const std::vector<std::int32_t>& cuts,
                                            std::int32_t stage) {
    const auto count = static_cast<std::int32_t>(cuts.size());
    if (stage < 0 || stage > count || !are_cuts_of(model, cuts)) return {};
    const auto cut_after = [&](std::int32_t cut) {
        return model.cuts.legal[static_cast<std::size_t>(cuts[static_cast<std::size_t>(cut)])];
    };
    return OperatorRange{stage == 0 ? 0 : cut_after(stage - 1) + 1,
                         stage == count ? model.node_count() - 1 : cut_after(stage)};
}

std::int32_t stage_of_block(const LoadedModel& model, const std::vector<std::int32_t>& cuts, const Block& block) {
    if (!are_cuts_of(model, cuts)) return -1;
    const auto stage_of = [&](graph::NodeIndex node) {
        return std::ranges::count_if(
            cuts, [&](std::int32_t cut) { return model.cuts.legal[static_cast<std::size_t>(cut)] < node; });
    };
    const auto stage = stage_of(block.first);
    return stage == stage_of(block.last) ? static_cast<std::int32_t>(stage) : -1;
}

InstanceId instance_of_stage(const control::ClusterState& cluster, const TaskId& task, std::int32_t stage) {
    if (stage < 0 || !cluster.tasks.contains(task)) return {};
    for (const control::InstanceView* one : control::instances_of(cluster, task))
        if (one->stage == stage) return one->id;
    return {};
}

std::int32_t block_of_path(const LoadedModel& model, const std::string& path) {
    const auto& blocks = model.tree.blocks;
    std::int32_t found = -1;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].path != path || (found >= 0 && !blocks[i].is_operator())) continue;
        found = static_cast<std::int32_t>(i);
        if (blocks[i].is_operator()) break;
    }
    return found;
}

}  // namespace divisi::model
