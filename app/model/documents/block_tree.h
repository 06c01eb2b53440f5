// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::model {

/// A run of consecutive operators that share a scope, or a single operator.
struct Block {
    std::string label;                     ///< last part of the path: "attn" or "MatMul"
    std::string path;                      ///< path in the model: "/layers/3/attn"; the node's name for an operator
    graph::NodeIndex first = 0, last = 0;  ///< first and last operator in canonical order, both inclusive
    std::int32_t parent = -1;
    std::vector<std::int32_t> children;  ///< child blocks, ascending by `first`; empty for an operator

    bool is_operator() const { return children.empty(); }
    std::int32_t operator_count() const { return last - first + 1; }
};

/// The scopes of a graph as a tree of contiguous blocks. A scope whose operators are apart in the canonical order
/// becomes several blocks. All blocks are thus convex, so that a line can separate every block. blocks[0] is the whole
/// graph. A scope whose only content is another scope is merged with it ("layers/0").
struct BlockTree {
    std::vector<Block> blocks;
    std::vector<std::int32_t> operator_block;  ///< maps a node to its block
};

BlockTree build_block_tree(const graph::Graph& graph);

/// Returns the blocks to show if the scopes in `open` (one flag per block) are open, in canonical order, without
/// overlap.
std::vector<std::int32_t> visible_blocks(const BlockTree& tree, const std::vector<bool>& open);

/// Returns the blocks to open initially: level by level, as long as at most `limit` blocks are visible.
std::vector<bool> initially_open(const BlockTree& tree, std::size_t limit);

}  // namespace divisi::model
