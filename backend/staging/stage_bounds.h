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

}  // namespace divisi::staging
