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

/// A head of a multi-task training: an output of the model with a loss of its own.
struct HeadLoss {
    std::string output;
    Loss loss = Loss::cross_entropy;
    double weight = 1.0;  ///< of its loss in the sum
};

struct TrainingOptions {
    Loss loss = Loss::cross_entropy;
    std::string output;           ///< name of the model's output that the loss reads; empty: the first
    std::int64_t classes = 0;     ///< cross-entropy: classes of the data, must not exceed the model's; 0: not known
    std::vector<HeadLoss> heads;  ///< multi-task; `loss` and `output` are then not read
    bool batch = false;           ///< the outputs are results: there is no loss and no accuracy
    bool labels = true;           ///< of a batch: the data have targets that the results are held against
};

/// What the training asks of one output.
struct Head {
    std::string name;  ///< of the model's output
    Loss kind = Loss::cross_entropy;
    double weight = 1.0;
    graph::ValueIndex output = graph::no_value;    ///< what the loss reads
    graph::ValueIndex target = graph::no_value;    ///< the graph input "target", multi-task "target/NAME"; or none
    graph::ValueIndex loss = graph::no_value;      ///< scalar, mean over the micro-batch, not weighted; or none
    graph::ValueIndex accuracy = graph::no_value;  ///< float32 scalar, for classification; read only in evaluation
    /// Batch: `output` and `target` where the results are written.
    graph::ValueIndex result = graph::no_value, label = graph::no_value;
};

/// A model with its loss: what every executor runs, split or not.
struct TrainingGraph {
    /// The model's nodes at their own positions, then /loss/..., then /metrics/...; of a batch then /results/...
    graph::Graph graph;
    graph::NodeIndex model_nodes = 0;  ///< nodes before this one are the model's
    std::vector<Head> heads;           ///< in the order of the model's outputs; one unless the training is multi-task
    bool multi_task = false;           ///< made with TrainingOptions::heads: every head's loss is reported
    /// Scalar; multi-task: the weighted sum of the heads' losses. no_value: of a batch.
    graph::ValueIndex loss = graph::no_value;
    /// For each node from model_nodes on: the model's node whose segment it joins; no_node: the last segment. A head's
    /// loss runs where its output is made, so that only a scalar travels on.
    std::vector<graph::NodeIndex> anchors;
    std::vector<std::string> warnings;  ///< trainable weights that the loss does not depend on

    /// True for the graph inputs that the data's targets feed.
    bool is_target(graph::ValueIndex value) const;
};

/// Appends the loss, and for classification the accuracy, as nodes of the same graph.
///
/// cross_entropy: output [N, C] with target int64 [N], or output [B, T, ..., C] with target int64
/// [B, T, ...], flattened to [B*T*..., C]; mean of -log softmax(output)[target] (ONNX SoftmaxCrossEntropyLoss).
/// mse: output of any shape with a target float32 of the same; mean of (output - target)^2.
/// Multi-task: the loss is the sum of weight * loss over the heads, from the model's first output to its last.
///
/// Batch: no loss. All heads' outputs and targets come together in the last segment, as /results/..., so that one place
/// writes what there is of a sample.
///
/// `model` must be canonical with shapes inferred for one micro-batch. Fails (not_found) for an unknown output,
/// (invalid_input) when its shape or type does not fit the loss, or the model already uses a name of ours.
Result<TrainingGraph> make_training_graph(const graph::Graph& model, const TrainingOptions& options);

}  // namespace divisi::plan
