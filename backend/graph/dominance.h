// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// Returns the immediate post-dominator of every node: the nearest node that all its paths to one of `ends` pass
/// through. The entry is nodes.size() if the paths share no node before the end, and no_node if no path leads to an
/// end.
///
/// Uses one backward sweep, since the canonical order is topological. The post-dominator is the nearest common ancestor
/// of the node's followers in the tree so far (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001).
std::vector<NodeIndex> post_dominators(const Graph& graph, const std::vector<ValueIndex>& ends);

}  // namespace divisi::graph
