// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/control/placement/placement.h"

namespace divisi::control::inline placement {

/// Returns the latest time at which these nodes become free: when their running tasks end and the reservations that
/// block the request expire. Assumes that each task runs for its most_seconds. Returns none if a task has no such bound
/// or a node is away.
std::optional<TimePoint> free_at_latest(const ClusterState& state, const std::vector<NodeId>& nodes,
                                        const PlacementRequest& request);

}  // namespace divisi::control::inline placement
