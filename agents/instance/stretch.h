// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::instance {

/// What there is to measure: a graph, and what its training needs of it.
struct MeasuredModel {
    graph::Graph graph;
    graph::ValueIndex loss = graph::no_value;  ///< no_value: gradients arrive at the outputs
};

/// Operators of a model that follow each other, as a graph of their own that an executor trains: with constants and
/// shape arithmetic that they read, with inputs and arriving gradients made up. Weights without data are drawn.
struct Stretch {
    std::shared_ptr<const graph::Graph> graph;
    std::vector<graph::NodeIndex> source;         ///< by node of `graph`: the model's; no_node: came along
    std::vector<bool> gradient;                   ///< by value of `graph`: graph::needs_gradient() of the model
    std::vector<graph::HostTensor> inputs;        ///< by Graph::inputs
    std::vector<graph::ValueIndex> outputs;       ///< that others need
    std::vector<graph::ValueIndex> gradients_at;  ///< those of them at which a gradient arrives
    std::vector<graph::HostTensor> gradients;     ///< the gradients
    graph::ValueIndex loss = graph::no_value;     ///< where it lies in here
};

/// Nodes of the model that do something in training, in order: neither constants nor shape arithmetic, nor what the
/// loss does not depend on.
std::vector<graph::NodeIndex> working_nodes(const MeasuredModel& model);

/// `nodes` are some of working_nodes(), ascending. Fails (invalid_input) where a size is not known, naming the value.
Result<Stretch> make_stretch(const MeasuredModel& model, const std::vector<graph::NodeIndex>& nodes);

/// working_nodes() in turn, in stretches that hold no more than so many bytes in training (at least one node each).
std::vector<std::vector<graph::NodeIndex>> divide(const MeasuredModel& model, double most_bytes);

}  // namespace divisi::instance
