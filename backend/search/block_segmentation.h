// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"

namespace divisi::search {

inline constexpr std::int32_t any_node = -1;

/// An operator, or several that stay together. Times are of one micro-batch.
struct BlockOperator {
    double seconds = 0;           ///< forward and backward on a node of speed 1
    Bytes memory = 0;             ///< weights, their gradients and optimizer state, and activations in flight
    std::int32_t pin = any_node;  ///< the node that must run it
    bool sensitive = false;       ///< only on a secure node
    std::int32_t together = -1;   ///< operators with the same number from 0 on lie in one segment
};

/// A value between operators; its gradient comes back the same way.
struct BlockValue {
    std::int32_t producer = 0;
    std::vector<std::int32_t> consumers;  ///< each once
    Bytes bytes = 0;                      ///< there, and back where there is a gradient
};

struct BlockNode {
    double speed = 1;
    Bytes memory = 0;  ///< 0: no bound
    bool secure = true;
};

/// A graph of operators in a topological order, and the nodes that are to run it: one segment each at most.
struct BlockProblem {
    std::vector<BlockOperator> operators;
    std::vector<BlockValue> values;
    std::vector<BlockNode> nodes;
    /// [from][to]: seconds that a byte takes from node to node. Empty: links are free.
    std::vector<std::vector<double>> seconds_per_byte;
};

/// A partition whose parts are in topological order: no value goes to an earlier one.
struct BlockPlan {
    std::vector<std::int32_t> part_of;  ///< by operator
    std::vector<std::int32_t> node_of;  ///< by part; a part may be empty
};

/// What a plan costs. Plans are compared in this order.
struct BlockScore {
    std::int32_t violations = 0;  ///< operators on a node where they must not be, groups that are split
    double excess_bytes = 0;      ///< beyond the nodes' memory
    double slowest = 0;           ///< seconds of the slowest resource, a node or a link, per micro-batch
    double squares = 0;  ///< sum over all resources of their seconds squared; decides when the slowest is equal
    auto operator<=>(const BlockScore&) const = default;  // NOLINT(modernize-use-nullptr): the 0 is the compiler's
};

/// A value goes to the parts that use it in ascending order, as make_partition() relays it: every hop loads the
/// link between two nodes, in both directions together. (To parallel parts it goes straight: as many hops.)
BlockScore score(const BlockProblem& problem, const BlockPlan& plan);

/// A partition into at most one segment per node that makes the slowest node or link fast: multilevel, after
/// Herrmann, Ozkaya, Ucar, Kaya and Catalyurek, Multilevel algorithms for acyclic partitioning of directed
/// acyclic graphs, SIAM J. Sci. Comput. 41(4), 2019. Operators are joined along heavy values, and only where the
/// only way from one to the other is that value; the coarse graph is cut along topological orders for several
/// orders of the nodes; then, level by level back to the operators, single ones move to the neighbouring parts
/// that keep the parts acyclic, as long as the score falls.
///
/// The result is never worse than any of `starts` (contiguous layer plans), which are refined as well.
/// Deterministic. Fails (invalid_input) for pins outside the nodes and when no plan was found that keeps
/// pins, groups and secure nodes, (exhausted) when none was found that fits the memory.
Result<BlockPlan> block_segmentation(const BlockProblem& problem, const std::vector<BlockPlan>& starts);

}  // namespace divisi::search
