// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// The cost of one node for the batch size bound in the shapes. A multiply-add counts as 2 FLOPs, an elementwise
/// operation as a few FLOPs per element (see cost.cpp), and data movement as zero. Matrix products: forward 2mnk, input
/// gradient 2mnk, weight gradient 2mnk. Convolutions are counted in the same way.
struct NodeCost {
    double forward_flops = 0;
    double input_gradient_flops = 0;   ///< gradients of inputs that are not weights, where needed
    double weight_gradient_flops = 0;  ///< gradients of trainable weights
    double forward_bytes = 0;          ///< bytes read and written by the forward pass
    double backward_bytes = 0;         ///< bytes read and written by both gradients
    double parameter_bytes = 0;        ///< bytes of initializers, each counted at its first consumer
    double activation_bytes = 0;       ///< bytes kept for the backward pass: outputs, and the scores of an attention
    std::int64_t parameters = 0;       ///< trainable elements, each counted at its first consumer
    std::int32_t open_nodes = 0;       ///< number of nodes with an unknown shape, whose cost counts as 0

    NodeCost& operator+=(const NodeCost& other);
    NodeCost& operator-=(const NodeCost& other);
};

/// Holds the costs of all nodes with prefix sums. The graph must be canonical and have inferred shapes.
class GraphCost {
public:
    explicit GraphCost(const Graph& graph);

    const NodeCost& node(NodeIndex index) const { return nodes_[index]; }
    /// Returns the sum over nodes first <= i < last in constant time. A weight counts only at its first consumer.
    NodeCost range(NodeIndex first, NodeIndex last) const;
    NodeCost total() const { return range(0, static_cast<NodeIndex>(nodes_.size())); }

private:
    std::vector<NodeCost> nodes_;
    std::vector<NodeCost> prefix_;  ///< prefix_[i]: sum of nodes_[0..i)
};

}  // namespace divisi::graph
