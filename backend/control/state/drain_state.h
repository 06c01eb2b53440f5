// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// The progress of draining a node.
enum class DrainState : std::uint8_t {
    none = 0,      ///< the node takes instances
    draining = 1,  ///< the node takes no instances, and something still runs on it
    drained = 2,
};

/// Returns whether the node gets no new instances.
bool is_draining(const ClusterState& state, const NodeId& node);
/// Returns the instances whose processes still run on the node, including instances that their task no longer uses.
std::vector<const InstanceView*> running_on(const ClusterState& state, const NodeId& node);
DrainState drain_state(const ClusterState& state, const NodeId& node);
const char* to_string(DrainState state);

}  // namespace divisi::control::inline state
