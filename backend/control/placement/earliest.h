// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/control/placement/placement.h"

namespace divisi::control::inline placement {

/// Returns when these nodes will be free at the latest: when their running tasks end and the reservations against the
/// seeker expire. A task is counted with its most_seconds. Returns none if a task has no such bound or a node is away.
std::optional<TimePoint> free_at_latest(const ClusterState& state, const std::vector<NodeId>& nodes,
                                        const PlacementRequest& request);

}  // namespace divisi::control::inline placement
