// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// A group of nodes that is drawn as one block when collapsed.
struct Scope {
    std::string name;                    ///< last part of the path: "attn"
    std::string path;                    ///< path of the scope: "/layers/3/attn"; "" is the root
    std::int32_t parent = -1;            ///< parent scope; -1 for the root
    std::vector<std::int32_t> children;  ///< child scopes, in canonical order of their first nodes
    std::vector<NodeIndex> nodes;        ///< nodes directly in this scope, ascending
    NodeIndex first = no_node;           ///< first node of the whole subtree in canonical order
    NodeIndex last = no_node;            ///< last node of the subtree, inclusive; nodes of other scopes may lie between
    std::int32_t total = 0;              ///< number of nodes in the whole subtree
};

struct ScopeTree {
    std::vector<Scope> scopes;                ///< scopes[0] is the root
    std::vector<std::int32_t> scope_of_node;  ///< the innermost scope of each node
};

/// Groups nodes by the path in their names ("/layers/3/attn/MatMul" lies in "/layers/3/attn"). A scope whose only
/// content is another scope is merged with it ("/model/encoder"). If few names have a path, groups nodes in runs of
/// bounded length. A run ends where few values lead to later nodes. A graph of 10,000 nodes is thus first shown as a
/// readable number of blocks.
ScopeTree group_by_scope(const Graph& graph);

}  // namespace divisi::graph
