// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::plan {

enum class Loss { cross_entropy, mse };

/// "cross_entropy" or "mse"; fails (invalid_input) with the known names.
Result<Loss> parse_loss(const std::string& name);

struct TrainingOptions {
    Loss loss = Loss::cross_entropy;
    std::string output;        ///< name of the model's output that the loss reads; empty: the first
    std::int64_t classes = 0;  ///< cross-entropy: classes of the data, must not exceed the model's; 0: not known
};

struct Metric {
    std::string name;  ///< "accuracy"
    graph::ValueIndex value = graph::no_value;
};

/// A model with its loss: what every executor runs, split or not.
struct TrainingGraph {
    graph::Graph graph;                ///< the model's nodes at their own positions, then /loss/..., then /metrics/...
    graph::NodeIndex model_nodes = 0;  ///< nodes before this one are the model's
    graph::ValueIndex output = graph::no_value;  ///< what the loss reads
    graph::ValueIndex target = graph::no_value;  ///< the graph input "target"
    graph::ValueIndex loss = graph::no_value;    ///< float32 scalar, mean over the micro-batch
    std::vector<Metric> metrics;                 ///< float32 scalars, means; computed only in evaluation
    std::vector<std::string> warnings;           ///< trainable weights that the loss does not depend on
};

/// Appends the loss, and for classification the accuracy, as nodes of the same graph.
///
/// cross_entropy: output [N, C] with target int64 [N], or output [B, T, ..., C] with target int64
/// [B, T, ...], flattened to [B*T*..., C]; mean of -log softmax(output)[target] (ONNX SoftmaxCrossEntropyLoss).
/// mse: output of any shape with a target float32 of the same; mean of (output - target)^2.
///
/// `model` must be canonical with shapes inferred for one micro-batch. Fails (not_found) for an unknown output,
/// (invalid_input) when its shape or type does not fit the loss, or the model already uses a name of ours.
Result<TrainingGraph> make_training_graph(const graph::Graph& model, const TrainingOptions& options);

}  // namespace divisi::plan
