// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/staging/stage_frontier.h"

namespace divisi::staging {

/// Returns a lower bound, between `lower` and `upper`, of the bottleneck of partitions into at most `stages` stages. A
/// smaller limit is impossible, since no series of boundaries has consecutive weights at most that limit apart. `table`
/// must have all boundaries of up to `upper`. The bound does not check whether the boundaries contain each other.
Ticks least_of_series(const Frontier& frontier, const Frontier::Table& table, std::int32_t stages, Ticks lower,
                      Ticks upper);

/// Builds partitions stage by stage. For each of a few partial partitions, the frontier finds boundaries beyond the
/// last one. From these, it takes the heaviest next stage within the limit, and stages that give up some weight for a
/// cheaper boundary. The limit is bisected between `lower` and `upper`. Empty if nothing below `upper` was found. Stops
/// when `visits` are used up.
StageOf build_series(const StageGraph& graph, const Frontier& frontier, std::int32_t stages, Ticks lower, Ticks upper,
                     std::size_t& visits);

}  // namespace divisi::staging
