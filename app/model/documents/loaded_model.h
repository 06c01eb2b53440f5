// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/model/documents/block_tree.h"
#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/graph/graph.h"
#include "backend/graph/roles.h"

namespace divisi::model {

/// The source of a model: a zoo name with sizes, or an ONNX file.
struct ModelSource {
    std::string zoo;
    std::map<std::string, std::int64_t> sizes;
    std::string onnx;         ///< absolute path of the ONNX file
    graph::Bindings symbols;  ///< sizes of symbolic dimensions
    std::int64_t batch = 1;   ///< number of samples on which the displayed figures are based
    /// Outputs with a loss in multi-task training. The model keeps only the operators that these outputs need, in the
    /// order in which training runs them (plan::keep_heads). Empty: the whole model unchanged.
    std::vector<std::string> heads;

    QString title() const;  ///< name of the model: "gpt" or "resnet18.onnx"
    bool operator==(const ModelSource&) const = default;
};

/// A model with all data that views show about it. Computed once on a worker thread, and immutable.
struct LoadedModel {
    /// `graph` must be canonical, with its shapes inferred.
    LoadedModel(graph::Graph graph, ModelSource source);

    ModelSource source;
    graph::Graph graph;
    graph::CutList cuts;
    graph::GraphCost cost;
    std::vector<graph::Role> roles;   ///< role of each operator
    std::vector<bool> with_gradient;  ///< for each value: whether a gradient flows back if the value crosses a cut
    BlockTree tree;
    /// A digest of everything that a picture of the model depends on: its blocks, its data flow, and its legal cuts.
    /// Two versions of a model that differ only in tensor sizes, such as the width, have the same digest.
    QByteArray structure;

    std::int32_t node_count() const { return static_cast<std::int32_t>(graph.nodes.size()); }
    /// Returns the FLOPs (forward and both gradients, ModelSource::batch samples) of nodes first <= i < last. O(1).
    Flops work(graph::NodeIndex first, graph::NodeIndex last) const { return work_of(cost.range(first, last)); }
    Flops total_work() const { return work(0, node_count()); }

    static Flops work_of(const graph::NodeCost& cost) {
        return cost.forward_flops + cost.input_gradient_flops + cost.weight_gradient_flops;
    }
};

using ModelPtr = std::shared_ptr<const LoadedModel>;

/// Returns whether both are the same zoo model or file, apart from sizes and batch.
bool is_version_of(const LoadedModel& a, const LoadedModel& b);

/// Reads or builds the model. This is slow, so call it on a worker thread. Errors name the file, the node, and what to
/// do.
Result<ModelPtr> load_model(const ModelSource& source);

}  // namespace divisi::model
