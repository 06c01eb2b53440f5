// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/control/core/sessions.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline core {

/// Steps of a task beyond the one in which a node went away that are still on their way without it: stages that wait
/// for it may have its last tensors.
inline constexpr std::int64_t steps_under_way = 2;

/// A node that is held to be dead before its time to come back is over.
struct NodeLoss {
    TimePoint from{};  ///< in lived time
    std::string why;
};

/// What the connections of a node that is away, those of its instances and the steps of its tasks prove together
/// (FailureDetector, Sessions::Away). None where it may live: one of its processes is heard, one has gone without
/// proof, it is hardly known itself, a task goes on that could not without it, or there is no connection but its own.
/// None either where haste gains nothing: a task there would not go on elsewhere.
std::optional<NodeLoss> certain_loss(const NodeId& node, const ClusterState& state, const Sessions& sessions);

}  // namespace divisi::control::inline core
