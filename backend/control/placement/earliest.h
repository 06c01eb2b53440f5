// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/control/placement/placement.h"

namespace divisi::control::inline placement {

/// By when these nodes are free of the tasks that run there and of the reservations that keep the seeker off, as far as
/// both say it: a task by its most_seconds. None where a task does not, or a node is away.
std::optional<TimePoint> free_at_latest(const ClusterState& state, const std::vector<NodeId>& nodes,
                                        const Seeker& seeker);

}  // namespace divisi::control::inline placement
