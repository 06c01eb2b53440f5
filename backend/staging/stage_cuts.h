// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// Arcs that join_inseparable() may look at by default, each as often as it is looked at: some tenths of a second.
inline constexpr std::size_t most_arc_visits = 30'000'000;

/// Joins what must share a stage where no boundary may cost more than `limit`, further than join_above(): the
/// ends of an edge that no boundary within the limit can part. The cheapest boundary between them is a minimum
/// cut (Picard, Maximal closure of a graph, Management Science 22, 1976), with one more node for each net. Gives
/// up joining, not correctness, after `visits`.
Contraction join_inseparable(const StageGraph& graph, Ticks limit, std::size_t visits = most_arc_visits);

}  // namespace divisi::staging
