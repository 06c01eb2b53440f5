// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// Returns the immediate post-dominator of every node: the nearest later node that is on all paths from the node to
/// values in `ends`. The entry is nodes.size() if these paths share no node, and no_node if no path leads to a value in
/// `ends`.
///
/// Uses one backward sweep, since the canonical order is topological. The post-dominator is the nearest common ancestor
/// of the node's followers in the tree so far (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001).
std::vector<NodeIndex> post_dominators(const Graph& graph, const std::vector<ValueIndex>& ends);

}  // namespace divisi::graph
