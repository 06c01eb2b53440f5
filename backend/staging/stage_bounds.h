// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/staging/stage_graph.h"

namespace divisi::staging {

/// A value that no partition into at most `stages` stages can have its slowest stage or boundary below; at most
/// `upper`, the value of a partition that is known. It is the largest value that one of these refutes:
/// - the work of all nodes, and of nodes that must share a stage since to part them costs more (join_above);
/// - bin packing: so many nodes are too large to share (Martello and Toth's L2, Discrete Applied Math. 28, 1990);
/// - windows: what a node needs before and after it says the first and the last stage it can be in, and what
///   must lie between two stages has to fit there.
Ticks least_bottleneck(const StageGraph& graph, std::int32_t stages, Ticks upper);

}  // namespace divisi::staging
