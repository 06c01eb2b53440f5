// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/control/core/sessions.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline core {

/// The number of steps that a task may complete after the step in which a node went away, without that node. Stages
/// that wait for the node may already have its last tensors.
inline constexpr std::int64_t steps_under_way = 2;

/// A node that counts as dead before the time for its return is over.
struct NodeLoss {
    TimePoint from{};  ///< in lived time
    std::string why;
};

/// Decides whether an absent node is certainly lost. Considers its connection, the connections of its instances, and
/// the steps of its tasks together (FailureDetector, Sessions::Away). Returns none if the node may be alive:
/// - one of its processes is still connected, or has disconnected without proof of its death;
/// - the node has hardly been heard yet, or only its own connection has closed;
/// - a task progresses that could not do so without the node.
///
/// Also returns none if an early decision gains nothing, because a task there would not continue elsewhere.
std::optional<NodeLoss> certain_loss(const NodeId& node, const ClusterState& state, const Sessions& sessions);

}  // namespace divisi::control::inline core
