// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// How far a node is that is to be drained.
enum class DrainState : std::uint8_t {
    none = 0,      ///< it takes instances
    draining = 1,  ///< something still runs there
    drained = 2,
};

/// Whether it gets no new instances.
bool is_draining(const ClusterState& state, const NodeId& node);
/// Instances whose processes are not gone from the node; also those that their task has left behind.
std::vector<const InstanceView*> running_on(const ClusterState& state, const NodeId& node);
DrainState drain_state(const ClusterState& state, const NodeId& node);
const char* to_string(DrainState state);

}  // namespace divisi::control::inline state
