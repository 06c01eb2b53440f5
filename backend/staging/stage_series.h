// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/staging/stage_frontier.h"

namespace divisi::staging {

/// Returns a lower bound, between `lower` and `upper`, of the bottleneck of partitions into at most `stages` stages.
/// For any limit below the bound, no series of boundaries keeps all crossings and the work between neighbours within
/// the limit. `table` must contain all boundaries whose crossing is at most `upper`. The bound ignores whether the
/// boundaries contain each other.
Ticks least_of_series(const Frontier& frontier, const Frontier::Table& table, std::int32_t stages, Ticks lower,
                      Ticks upper);

/// Builds partitions stage by stage. For each of a few partial partitions, the frontier finds boundaries beyond the
/// partition's last boundary. From these, build_series() chooses the heaviest next stage within the limit, and lighter
/// stages with cheaper boundaries. The limit is bisected between `lower` and `upper`. Empty if no partition below
/// `upper` was found. Stops when `visits` are used up.
StageOf build_series(const StageGraph& graph, const Frontier& frontier, std::int32_t stages, Ticks lower, Ticks upper,
                     std::size_t& visits);

}  // namespace divisi::staging
