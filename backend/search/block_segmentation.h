// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"

namespace divisi::search {

inline constexpr std::int32_t any_node = -1;

/// An operator, or several operators that must stay together. Times are for one micro-batch.
struct BlockOperator {
    double seconds = 0;           ///< forward and backward on a node of speed 1
    Bytes memory = 0;             ///< weights, their gradients, optimizer state, and activations in flight
    std::int32_t pin = any_node;  ///< the node that must run the operator
    bool sensitive = false;       ///< may run only on a secure node
    std::int32_t together = -1;   ///< operators with the same non-negative number stay in one segment
};

/// A value between operators. Its gradient is sent back along the same path.
struct BlockValue {
    std::int32_t producer = 0;
    std::vector<std::int32_t> consumers;  ///< each consumer once
    Bytes bytes = 0;                      ///< bytes of the value, plus the bytes of its gradient, if any
};

struct BlockNode {
    double speed = 1;
    Bytes memory = 0;  ///< 0: unlimited
    bool secure = true;
};

/// A graph of operators in topological order, and the nodes that run it. Each node runs at most one segment.
struct BlockProblem {
    std::vector<BlockOperator> operators;
    std::vector<BlockValue> values;
    std::vector<BlockNode> nodes;
    /// [from][to]: seconds per byte sent from node to node. Empty: links are free.
    std::vector<std::vector<double>> seconds_per_byte;
};

/// A partition with parts in topological order: no value leads to an earlier part.
struct BlockPlan {
    std::vector<std::int32_t> part_of;  ///< indexed by operator
    std::vector<std::int32_t> node_of;  ///< indexed by part; a part may be empty
};

/// The cost of a plan. Plans are compared by these fields in this order.
struct BlockScore {
    std::int32_t violations = 0;  ///< number of operators on a forbidden node, plus number of split groups
    double excess_bytes = 0;      ///< bytes beyond the nodes' memory
    double slowest = 0;           ///< seconds per micro-batch of the slowest resource, a node or a link
    double squares = 0;           ///< sum of squared seconds over all resources; breaks ties
    auto operator<=>(const BlockScore&) const = default;  // NOLINT(modernize-use-nullptr): the compiler generates the 0
};

/// Computes the cost of a plan. A value is relayed along the parts that use it, in ascending order, as in
/// make_partition(). Every hop adds to the load of the link between two nodes; both directions share this link. (A real
/// plan may send a value directly to each of several parallel parts; the number of hops is the same.)
BlockScore score(const BlockProblem& problem, const BlockPlan& plan);

/// Searches for a partition, with at most one segment per node, whose slowest node or link is as fast as possible. The
/// algorithm is multilevel, after Herrmann, Ozkaya, Ucar, Kaya and Catalyurek, Multilevel algorithms for acyclic
/// partitioning of directed acyclic graphs, SIAM J. Sci. Comput. 41(4), 2019:
/// 1. Join operators along heavy values, but only if the value is the only path between them.
/// 2. Cut the coarse graph along topological orders, for several orders of the nodes.
/// 3. Split the clusters again, level by level, down to the operators. On each level, move single clusters to
///    neighbouring parts while the score improves and the parts remain acyclic.
///
/// The result is never worse than any of `starts` (contiguous layer plans), each of which is also refined.
/// Deterministic. Fails with invalid_input for pins to unknown nodes, and if no plan was found that respects pins,
/// groups and secure nodes. Fails with exhausted if no plan was found that fits into the memory.
Result<BlockPlan> block_segmentation(const BlockProblem& problem, const std::vector<BlockPlan>& starts);

}  // namespace divisi::search
