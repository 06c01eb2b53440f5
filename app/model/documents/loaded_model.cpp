// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/documents/loaded_model.h"

#include <QCryptographicHash>
#include <QFileInfo>

#include "backend/graph/attention.h"
#include "backend/graph/shapes.h"
#include "backend/graph/zoo.h"
#include "backend/onnx/import.h"
#include "backend/plan/branches.h"
#include "backend/plan/partition.h"

namespace divisi::model {

namespace {

/// Binds symbolic sizes without a value to the batch size (if they are leading dimensions) or to 1, so that figures can
/// be shown.
graph::Bindings complete_bindings(const graph::Graph& graph, const ModelSource& source) {
    graph::Bindings bindings = source.symbols;
    for (const std::string& open : graph::open_dimensions(graph)) {
        if (bindings.contains(open)) continue;
        bool leading = open.ends_with(".0");
        for (const graph::ValueIndex input : graph.inputs) {
            const auto& shape = graph.values[input].shape;
            leading |= shape && !shape->empty() && shape->front().symbol == open;
        }
        bindings[open] = leading ? source.batch : 1;
    }
    return bindings;
}

Result<graph::Graph> load_graph(const ModelSource& source) {
    if (!source.zoo.empty()) return graph::build_zoo(source.zoo, source.sizes, source.batch);
    onnx::ImportOptions options;
    options.bindings = source.symbols;
    DIVISI_ASSIGN(graph::Graph graph, onnx::import_model(source.onnx, options));
    const graph::Bindings bindings = complete_bindings(graph, source);
    // Sizes that were chosen only for the figures may not fit the model. The model is then shown without them.
    if (bindings.size() > source.symbols.size()) {
        graph::Graph bound = graph;
        if (graph::infer_shapes(bound, bindings).ok()) return bound;
    }
    return graph;
}

QByteArray structure_of(const LoadedModel& model) {
    std::vector<std::int32_t> words;
    const auto add = [&words](auto count) { words.push_back(static_cast<std::int32_t>(count)); };
    add(model.tree.blocks.size());
    for (const Block& block : model.tree.blocks) {
        add(block.first);
        add(block.last);
        add(block.parent);
    }
    add(model.graph.nodes.size());
    for (const graph::Node& node : model.graph.nodes) {
        add(node.inputs.size());
        for (const graph::ValueIndex input : node.inputs)
            add(input == graph::no_value ? graph::no_node : model.graph.values[input].producer);
    }
    for (const graph::NodeIndex after : model.cuts.legal) add(after);
    const auto bytes = static_cast<qsizetype>(words.size()) * qsizetype{sizeof(std::int32_t)};
    return QCryptographicHash::hash(QByteArrayView(reinterpret_cast<const char*>(words.data()), bytes),
                                    QCryptographicHash::Blake2b_160);
}

}  // namespace

QString ModelSource::title() const {
    return zoo.empty() ? QFileInfo(QString::fromStdString(onnx)).fileName() : QString::fromStdString(zoo);
}

LoadedModel::LoadedModel(graph::Graph model_graph, ModelSource model_source)
    : source(std::move(model_source)),
      graph(std::move(model_graph)),
      cuts(graph::find_cuts(graph)),
      cost(graph),
      roles(graph::node_roles(graph)),
      with_gradient(plan::values_with_gradient(graph)),
      tree(build_block_tree(graph)),
      structure(structure_of(*this)) {}

bool is_version_of(const LoadedModel& a, const LoadedModel& b) {
    const bool named = !a.source.zoo.empty() || !a.source.onnx.empty();
    return named && a.source.zoo == b.source.zoo && a.source.onnx == b.source.onnx;
}

Result<ModelPtr> load_model(const ModelSource& source) {
    DIVISI_ASSIGN(graph::Graph graph, load_graph(source));
    graph::fuse_attention(graph);
    if (!source.heads.empty()) {
        DIVISI_ASSIGN(plan::BranchedModel kept, plan::keep_heads(graph, source.heads));
        graph = std::move(kept.graph);
    }
    if (graph.nodes.empty())
        return Error{ErrorCode::invalid_input, "the model has no operators", source.title().toStdString(),
                     "choose a model with at least one operator"};
    return std::make_shared<const LoadedModel>(std::move(graph), source);
}

}  // namespace divisi::model
