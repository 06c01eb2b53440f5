// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/model/block_tree.h"
#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/graph/graph.h"
#include "backend/graph/roles.h"

namespace divisi::model {

/// Where a model comes from: a name of the zoo with its sizes, or an ONNX file.
struct ModelSource {
    std::string zoo;
    std::map<std::string, std::int64_t> sizes;
    std::string onnx;         ///< absolute path
    graph::Bindings symbols;  ///< sizes of symbolic dimensions
    std::int64_t batch = 1;   ///< samples that the figures are for
    /// Outputs that a multi-task training has a loss for: the model is what they need, in the order in which it trains.
    /// Empty: all of it as it is.
    std::vector<std::string> heads;

    QString title() const;  ///< "gpt" or "resnet18.onnx"
    bool operator==(const ModelSource&) const = default;
};

/// Everything that the views read of a model, computed once off the GUI thread and never changed.
struct LoadedModel {
    /// `graph` is canonical and has its shapes inferred.
    LoadedModel(graph::Graph graph, ModelSource source);

    ModelSource source;
    graph::Graph graph;
    graph::CutList cuts;
    graph::GraphCost cost;
    std::vector<graph::Role> roles;   ///< by operator
    std::vector<bool> with_gradient;  ///< by value: a gradient comes back where it crosses
    BlockTree tree;
    /// A digest of what a picture of the model depends on: its blocks, what reads what, and where it may be cut. Two
    /// versions of a model with other sizes have the same.
    QByteArray structure;

    std::int32_t node_count() const { return static_cast<std::int32_t>(graph.nodes.size()); }
    /// Work of one training step (forward and both gradients) of nodes first <= i < last; constant time.
    Flops work(graph::NodeIndex first, graph::NodeIndex last) const { return work_of(cost.range(first, last)); }
    Flops total_work() const { return work(0, node_count()); }

    static Flops work_of(const graph::NodeCost& cost) {
        return cost.forward_flops + cost.input_gradient_flops + cost.weight_gradient_flops;
    }
};

using ModelPtr = std::shared_ptr<const LoadedModel>;

/// Whether both are one zoo model or one file, with other sizes or for another batch.
bool is_version_of(const LoadedModel& a, const LoadedModel& b);

/// Reads or builds the model; slow, for a worker thread. Errors name the file and node, and what to do.
Result<ModelPtr> load_model(const ModelSource& source);

}  // namespace divisi::model
