// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/staging/stage_frontier.h"

namespace divisi::staging {

/// A value that no partition into at most `stages` stages is below, between `lower` and `upper`: within a smaller
/// limit there are no boundaries of weights that lie at most the limit apart. `table` has all boundaries of up to
/// `upper`; whether they contain each other is not asked.
Ticks least_of_series(const Frontier& frontier, const Frontier::Table& table, std::int32_t stages, Ticks lower,
                      Ticks upper);

/// Builds partitions stage by stage from the boundaries that the frontier finds beyond the last one: of each of a
/// few partial partitions the heaviest next stage within the limit, and those that give up some weight for a
/// cheaper boundary. Bisects the limit between `lower` and `upper`; empty when nothing below `upper` was found.
/// Stops when `visits` are used up.
StageOf build_series(const StageGraph& graph, const Frontier& frontier, std::int32_t stages, Ticks lower, Ticks upper,
                     std::size_t& visits);

}  // namespace divisi::staging
