// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/plan/partition.h"
#include "backend/plan/training_graph.h"

namespace divisi::plan {

/// Returns whether `name` equals `pattern`, or begins with the part of `pattern` before a final '*'.
bool name_matches(const std::string& name, const std::string& pattern);

/// Returns the operators of the model (nodes before `model_nodes`) that match a name or pattern. Fails (not_found) if
/// no operator matches, and suggests a similar name; `where` names the source of the pattern.
Result<std::vector<graph::NodeIndex>> find_operators(const graph::Graph& graph, graph::NodeIndex model_nodes,
                                                     const std::string& pattern, const std::string& where);

/// Returns, for each node of the model, the index of the list whose names or patterns match the node; -1 if no list
/// matches. The most specific pattern applies, so "*" covers all operators not named elsewhere. Fails with not_found
/// for a pattern that no operator matches and suggests similar names. Fails with invalid_input for an operator that two
/// lists match equally specifically.
Result<std::vector<std::int32_t>> match_operators(const graph::Graph& graph, graph::NodeIndex model_nodes,
                                                  const std::vector<std::vector<std::string>>& lists);

/// A value that one block sends to another.
struct BlockLink {
    std::int32_t from = 0, to = 0;
    graph::ValueIndex value = graph::no_value;
    graph::NodeIndex consumer = graph::no_node;  ///< the first consumer in `to`
    bool operator==(const BlockLink&) const = default;
};

/// Returns the shortest cycle of blocks that wait for each other; empty if the partition is acyclic. Each link leads to
/// the block where the next link begins, and the last link leads to the first block. `block_of` has the block of every
/// node of the graph, or -1 for nodes that join the block of another node. Time is linear in nodes and cubic in blocks.
std::vector<BlockLink> find_cycle(const graph::Graph& graph, const std::vector<std::int32_t>& block_of,
                                  std::int32_t blocks);

/// Segments, ordered so that values flow only to later segments.
struct Blocks {
    std::vector<Segment> segments;
    std::vector<std::int32_t> given;  ///< original block number of each segment
};

/// Makes segments from any acyclic partition; `block_of` has the block of each model node, numbered from 0. Blocks need
/// not be in topological order; if several orders are possible, the given order is kept. Constant sub-expressions
/// (Role::constant) join their first consumer, regardless of their entry in `block_of`. Loss and metrics join the
/// model's output. Fails (invalid_input) for a block without operators that work on data, for an operator in no block,
/// and for blocks that form a cycle. The message then names the values of the cycle.
Result<Blocks> make_blocks(const TrainingGraph& training, const std::vector<std::int32_t>& block_of,
                           std::int32_t blocks);

/// Returns a list of operator names and patterns for each block, with as few entries as possible. A pattern is
/// "scope/*", or "*" for all other operators. match_operators() reads such lists. `block_of` has the block of every
/// node of the model, or -1 for a node that may join any block (constants follow their consumers). Time is proportional
/// to operators times blocks.
std::vector<std::vector<std::string>> name_operators(const graph::Graph& model,
                                                     const std::vector<std::int32_t>& block_of, std::int32_t blocks);

}  // namespace divisi::plan
