// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::instance {

/// The model to measure: a graph, and the data that its training needs.
struct MeasuredModel {
    graph::Graph graph;
    graph::ValueIndex loss = graph::no_value;  ///< value of the loss; no_value: the graph has no loss, and the outputs
                                               ///< receive gradients
};

/// Consecutive operators of a model as a separate graph that an executor can train. Includes the constants and shape
/// arithmetic that the operators read. Inputs, incoming gradients, and weights without data have random values.
struct Stretch {
    std::shared_ptr<const graph::Graph> graph;
    std::vector<graph::NodeIndex> source;   ///< node of the model for each node of `graph`; no_node: added for the copy
    std::vector<bool> gradient;             ///< for each value of `graph`: graph::needs_gradient() of the model
    std::vector<graph::HostTensor> inputs;  ///< in the order of Graph::inputs
    std::vector<graph::ValueIndex> outputs;       ///< values that are read outside of the stretch, or nowhere
    std::vector<graph::ValueIndex> gradients_at;  ///< outputs that receive a gradient
    std::vector<graph::HostTensor> gradients;     ///< gradients that the outputs receive, in the order of gradients_at
    graph::ValueIndex loss = graph::no_value;     ///< the loss in this graph
};

/// Returns the model's nodes that compute something in training, in order. Leaves out constants, shape arithmetic, and
/// nodes on which the loss does not depend.
std::vector<graph::NodeIndex> working_nodes(const MeasuredModel& model);

/// Makes a stretch. `nodes` is a part of working_nodes(), in ascending order. Fails (invalid_input) if a size is not
/// known, naming the value.
Result<Stretch> make_stretch(const MeasuredModel& model, const std::vector<graph::NodeIndex>& nodes);

/// Divides working_nodes() into consecutive stretches that need at most this many bytes in training (at least one node
/// each).
std::vector<std::vector<graph::NodeIndex>> divide(const MeasuredModel& model, double most_bytes);

}  // namespace divisi::instance
