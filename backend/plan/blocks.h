// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/plan/partition.h"
#include "backend/plan/training_graph.h"

namespace divisi::plan {

/// True if `name` equals `pattern`, or begins with the part of `pattern` before its closing '*'.
bool name_matches(const std::string& name, const std::string& pattern);

/// Operators of the model, nodes before `model_nodes`, that a name or pattern names. Fails (not_found) when there
/// is none, with a similar name; `where` says where the pattern stands.
Result<std::vector<graph::NodeIndex>> find_operators(const graph::Graph& graph, graph::NodeIndex model_nodes,
                                                     const std::string& pattern, const std::string& where);

/// For each node of the model, which of the lists of names and patterns names it: the most exact pattern
/// counts, so that "*" stands for whatever is named nowhere else. -1: none. Fails (not_found) for a pattern
/// that no operator matches, with similar names, and (invalid_input) for an operator that two lists name
/// equally exactly.
Result<std::vector<std::int32_t>> match_operators(const graph::Graph& graph, graph::NodeIndex model_nodes,
                                                  const std::vector<std::vector<std::string>>& lists);

/// A value that leads from one block to another.
struct BlockLink {
    std::int32_t from = 0, to = 0;
    graph::ValueIndex value = graph::no_value;
    graph::NodeIndex consumer = graph::no_node;  ///< the first in `to`
    bool operator==(const BlockLink&) const = default;
};

/// The shortest circle in which blocks wait for each other: every link leads to the block where the next one begins,
/// the last to the first. Empty where the partition is acyclic. `block_of` has the block of every node of the
/// graph, -1 for those that follow others. Linear in nodes, cubic in blocks.
std::vector<BlockLink> find_cycle(const graph::Graph& graph, const std::vector<std::int32_t>& block_of,
                                  std::int32_t blocks);

/// Segments in an order in which values only go to later ones.
struct Blocks {
    std::vector<Segment> segments;
    std::vector<std::int32_t> given;  ///< number, as given, of each segment
};

/// Any acyclic partition, as `block_of` gives it for each node of the model, in blocks numbered from 0 on.
/// Blocks need not be numbered topologically; where their order is free it stays. Constant sub-expressions
/// (Role::constant) go to the first of their consumers whatever block they are given, loss and metrics to
/// the model's output. Fails (invalid_input) for a block without operators that work on data, for an
/// operator in no block, and for blocks that form a cycle: the message has its values.
Result<Blocks> make_blocks(const TrainingGraph& training, const std::vector<std::int32_t>& block_of,
                           std::int32_t blocks);

}  // namespace divisi::plan
