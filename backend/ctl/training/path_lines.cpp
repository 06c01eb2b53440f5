// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/training/path_lines.h"

#include <set>

#include "backend/base/text.h"

namespace divisi::ctl {
namespace {

std::string stage_name(std::int32_t stage) { return stage < 0 ? "data" : "stage " + std::to_string(stage); }

/// Explains why the plan has no paths; empty if the reason is obvious.
std::string why_none(const PlannedPlaces& places) {
    if (places.mics.size() > 1)
        return "its instances are in " + joined(places.mics) + ", and no path between them through the mesh is known";
    if (places.mics.empty() || places.stages < 2 || !places.has_mesh) return "";
    const std::string all = places.stages == 2 ? "both" : "all " + std::to_string(places.stages);
    return all + " stages are in " + places.mics.front() + ", so no path through the mesh is used";
}

}  // namespace

PlannedPlaces planned_places(const price::Placement& placement, const control::ClusterState& state) {
    std::set<std::string> mics;
    const auto add = [&](const price::PlannedDevice& device) {
        const auto node = state.nodes.find(NodeId(device.node));
        if (node != state.nodes.end()) mics.insert(node->second.info.mic.value());
    };
    for (const price::PlannedDevice& device : placement.stages) add(device);
    for (const price::PlannedDevice& device : placement.dealt) add(device);
    if (placement.data) add(*placement.data);
    return {placement.stages.size(), {mics.begin(), mics.end()}, !state.devices.empty()};
}

std::vector<std::string> path_lines(const std::vector<price::PathUse>& paths, const PlannedPlaces& places) {
    std::vector<std::string> lines;
    for (const price::PathUse& use : paths)
        lines.push_back("from " + stage_name(use.from) + " to " + stage_name(use.to) + " by " +
                        joined(use.path.devices));
    if (const std::string why = why_none(places); lines.empty() && !why.empty()) lines.push_back(why);
    return lines;
}

}  // namespace divisi::ctl
