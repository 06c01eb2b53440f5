// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// Returns a lower bound of the slowest stage or boundary over all partitions into at most `stages` stages. `upper` is
/// the value of a known partition; the bound does not exceed it. The bound is one tick above a value that one of these
/// checks refutes:
/// - work: the work of all nodes, and of nodes that must share a stage since a boundary between them costs more than
///   the value (join_above);
/// - bin packing: too many nodes are too large to share a bin (Martello and Toth's L2, Discrete Applied Math. 28,
///   1990);
/// - windows: a node's dependencies and dependents determine the first and the last stage it can be in, and the nodes
///   that must be between two stages have to fit there.
Ticks least_bottleneck(const StageGraph& graph, std::int32_t stages, Ticks upper);

/// Default limit for arc visits in join_inseparable(): a few tenths of a second. Repeated visits of an arc count.
inline constexpr std::size_t most_arc_visits = 30'000'000;

/// Joins nodes that must share a stage if no boundary may cost more than `limit`. Goes further than join_above(): joins
/// the ends of an edge that no boundary within the limit can separate. The cheapest boundary between them is a minimum
/// cut (Picard, Maximal closure of a graph, Management Science 22, 1976), with one more node for each net. After
/// `visits` visits, it joins no further nodes; the result is still correct.
Contraction join_inseparable(const StageGraph& graph, Ticks limit, std::size_t visits = most_arc_visits);

}  // namespace divisi::staging
