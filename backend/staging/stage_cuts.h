// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// Default limit for arc visits in join_inseparable(): a few tenths of a second. Repeated visits of an arc count.
inline constexpr std::size_t most_arc_visits = 30'000'000;

/// Joins nodes that must share a stage if no boundary may cost more than `limit`. Goes further than join_above(): joins
/// the ends of an edge that no boundary within the limit can separate. The cheapest boundary between them is a minimum
/// cut (Picard, Maximal closure of a graph, Management Science 22, 1976), with one more node for each net. After
/// `visits` visits, it joins no further nodes; the result is still correct.
Contraction join_inseparable(const StageGraph& graph, Ticks limit, std::size_t visits = most_arc_visits);

}  // namespace divisi::staging
