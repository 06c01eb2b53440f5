// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "backend/graph/graph.h"

namespace divisi::graph {

/// What one node costs for the batch that is bound in the shapes. A multiply-add counts as 2 FLOPs; an
/// elementwise operation counts a few per element (see cost.cpp), data movement counts none.
/// Matrix products: forward 2mnk, input gradient 2mnk, weight gradient 2mnk; convolutions alike.
struct NodeCost {
    double forward_flops = 0;
    double input_gradient_flops = 0;   ///< gradients of inputs that are not weights, where one is needed
    double weight_gradient_flops = 0;  ///< gradients of trainable weights
    double forward_bytes = 0;          ///< read and written by the forward pass
    double backward_bytes = 0;         ///< read and written by both gradients
    double parameter_bytes = 0;        ///< initializers, each counted at its first consumer
    double activation_bytes = 0;       ///< outputs, kept for the backward pass
    std::int64_t parameters = 0;       ///< trainable elements, each counted at its first consumer
    std::int32_t open_nodes = 0;       ///< nodes of which some shape is unknown and counted as nothing

    NodeCost& operator+=(const NodeCost& other);
    NodeCost& operator-=(const NodeCost& other);
};

/// Costs of all nodes with prefix sums, for a canonical graph after infer_shapes().
class GraphCost {
public:
    explicit GraphCost(const Graph& graph);

    const NodeCost& node(NodeIndex index) const { return nodes_[index]; }
    /// Sum over nodes first <= i < last. Constant time. A weight that two ranges use counts in the first.
    NodeCost range(NodeIndex first, NodeIndex last) const;
    NodeCost total() const { return range(0, static_cast<NodeIndex>(nodes_.size())); }

private:
    std::vector<NodeCost> nodes_;
    std::vector<NodeCost> prefix_;  ///< prefix_[i]: sum of nodes_[0..i)
};

}  // namespace divisi::graph
