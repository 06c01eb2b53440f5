// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/control/core/sessions.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline core {

/// Number of steps that a task may still complete without a node after the step in which the node went away. Stages
/// that wait for the node may already have its last tensors.
inline constexpr std::int64_t steps_under_way = 2;

/// The conclusion that a node is dead, drawn before its time limit for a return has passed.
struct NodeLoss {
    TimePoint from{};  ///< time from which the node counts as dead, in lived time
    std::string why;
};

/// Decides whether an absent node is certainly lost. Considers its connection, the connections of its instances, and
/// the steps of its tasks together (FailureDetector, Sessions::Away). Returns none if the node may be alive:
/// - a process of the node is still connected, or has disconnected without proof of its death;
/// - too few heartbeats of the node have been received, or only its own connection has closed;
/// - a task that needs the node still makes progress.
///
/// Also returns none if an early decision is useless: a task of the node does not recover, or no task needs the node.
std::optional<NodeLoss> certain_loss(const NodeId& node, const ClusterState& state, const Sessions& sessions);

}  // namespace divisi::control::inline core
