// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/trial_state.h"

namespace divisi::control::inline state {

ClusterState state_for_trials(const ClusterState& state) {
    ClusterState part;
    part.name = state.name;
    part.nodes = state.nodes;
    part.links = state.links;
    part.stated_links = state.stated_links;
    part.devices = state.devices;
    part.pools = state.pools;
    part.policies = state.policies;
    return part;
}

std::vector<std::string> stage_nodes_of(const ClusterState& state, const TaskId& task, std::size_t stages) {
    std::vector<std::string> nodes(stages);
    for (const InstanceView* one : instances_of(state, task)) {
        if (one->stage < 0) continue;
        const auto stage = static_cast<std::size_t>(one->stage);
        if (nodes.size() <= stage) nodes.resize(stage + 1);
        nodes[stage] = one->node.value();
    }
    return nodes;
}

}  // namespace divisi::control::inline state
