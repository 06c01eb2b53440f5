// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// Of every node its immediate post-dominator: the nearest node through which each of its paths to one of `ends`
/// runs. nodes.size() where the paths share no node before the end, no_node where none leads to an end.
///
/// One sweep from the back, as the canonical order is topological: the nearest common ancestor of the followers
/// in the tree so far (Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001).
std::vector<NodeIndex> post_dominators(const Graph& graph, const std::vector<ValueIndex>& ends);

}  // namespace divisi::graph
