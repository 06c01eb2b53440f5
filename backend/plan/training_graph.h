// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::plan {

enum class Loss { cross_entropy, mse };

/// Parses "cross_entropy" or "mse". Fails (invalid_input) for an unknown name and lists the known names.
Result<Loss> parse_loss(const std::string& name);

/// A head of a multi-task training: an output of the model that has its own loss.
struct HeadLoss {
    std::string output;
    Loss loss = Loss::cross_entropy;
    double weight = 1.0;  ///< weight of its loss in the sum
};

struct TrainingOptions {
    Loss loss = Loss::cross_entropy;
    std::string output;  ///< name of the model output that the loss reads; empty: the first output
    /// cross-entropy: number of classes in the data, which must not exceed the model's; 0: not known
    std::int64_t classes = 0;
    std::vector<HeadLoss> heads;  ///< multi-task training; `loss` and `output` are then ignored
    bool batch = false;           ///< batch task: outputs are results, and there is neither loss nor accuracy
    bool labels = true;           ///< batch task: the data has targets to compare the results with
};

/// The results that the training computes from one output.
struct Head {
    std::string name;  ///< name of the model's output
    Loss kind = Loss::cross_entropy;
    double weight = 1.0;
    graph::ValueIndex output = graph::no_value;    ///< the value that the loss reads
    graph::ValueIndex target = graph::no_value;    ///< the graph input "target", multi-task "target/NAME"; or none
    graph::ValueIndex loss = graph::no_value;      ///< unweighted scalar, the mean over the micro-batch; no_value: none
    graph::ValueIndex accuracy = graph::no_value;  ///< float32 scalar for classification; read only in evaluation
    /// Batch tasks: the copies of `output` and `target` that are written as results.
    graph::ValueIndex result = graph::no_value, label = graph::no_value;
};

/// A model with its loss, as every executor runs it, split or not.
struct TrainingGraph {
    /// The model's nodes keep their positions. /loss/... and then /metrics/... follow them; for a batch task,
    /// /results/... follows.
    graph::Graph graph;
    graph::NodeIndex model_nodes = 0;  ///< nodes before this index belong to the model
    std::vector<Head> heads;  ///< in the order of the model's outputs; exactly one unless the training is multi-task
    bool multi_task = false;  ///< built from TrainingOptions::heads: every head's loss is reported
    /// Scalar; for multi-task training, the weighted sum of the heads' losses. no_value for a batch task.
    graph::ValueIndex loss = graph::no_value;
    /// For each node from model_nodes on: the model node whose segment it joins; no_node means the last segment. The
    /// loss of a head runs where the head's output is computed, so that only a scalar is sent.
    std::vector<graph::NodeIndex> anchors;
    std::vector<std::string> warnings;  ///< trainable weights that the loss does not depend on

    /// Returns whether the value is a graph input that the data's targets feed.
    bool is_target(graph::ValueIndex value) const;
};

/// Appends the loss, and for classification the accuracy, as nodes of the same graph.
///
/// cross_entropy: output [N, C] with target int64 [N], or output [B, T, ..., C] with target int64 [B, T, ...],
/// flattened to [B*T*..., C]. The loss is the mean of -log softmax(output)[target] (ONNX SoftmaxCrossEntropyLoss).
///
/// mse: output of any shape with a target of the same shape and type. The loss is the mean of (output - target)^2.
///
/// Multi-task: the loss is the sum of weight * loss over the heads, from the model's first output to its last.
///
/// Batch task: there is no loss. The outputs and targets of all heads are gathered in the last segment as /results/...,
/// so that one instance writes all results of a sample.
///
/// `model` must be canonical with shapes inferred for one micro-batch. Fails with not_found for an unknown output.
/// Fails with invalid_input if the output's shape or type does not fit the loss, or if the model already uses one of
/// the added names.
Result<TrainingGraph> make_training_graph(const graph::Graph& model, const TrainingOptions& options);

}  // namespace divisi::plan
