// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/drain_state.h"

namespace divisi::control::inline state {

bool is_draining(const ClusterState& state, const NodeId& node) {
    const auto found = state.nodes.find(node);
    return found != state.nodes.end() && found->second.draining;
}

std::vector<const InstanceView*> running_on(const ClusterState& state, const NodeId& node) {
    std::vector<const InstanceView*> found;
    for (const auto& [id, instance] : state.instances) {
        if (instance.node != node || instance.exited) continue;
        const auto task = state.tasks.find(instance.task);
        if (task != state.tasks.end() && task->second.runs()) found.push_back(&instance);
    }
    return found;
}

DrainState drain_state(const ClusterState& state, const NodeId& node) {
    if (!is_draining(state, node)) return DrainState::none;
    return running_on(state, node).empty() ? DrainState::drained : DrainState::draining;
}

const char* to_string(DrainState state) {
    switch (state) {
        case DrainState::none: return "none";
        case DrainState::draining: return "draining";
        case DrainState::drained: return "drained";
    }
    return "?";
}

}  // namespace divisi::control::inline state
