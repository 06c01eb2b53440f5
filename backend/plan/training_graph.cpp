// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/training_graph.h"

#include <algorithm>
#include <cassert>

namespace divisi::plan {

namespace {

using graph::DType;
using graph::Graph;
using graph::Shape;
using graph::ValueIndex;

constexpr const char* target_name = "target";

std::string shape_text(const Shape& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i ? ", " : "") + (shape[i].known()          ? std::to_string(shape[i].size)
                                   : shape[i].symbol.empty() ? "?"
                                                             : shape[i].symbol);
    return text + "]";
}

/// Appends nodes with one output each under a scope.
class Appender {
public:
    explicit Appender(Graph& graph) : graph_(graph) {}

    ValueIndex node(const std::string& name, const std::string& op_type, std::vector<ValueIndex> inputs, DType dtype,
                    Shape shape, std::map<std::string, graph::Attribute> attributes = {}) {
        const ValueIndex output = graph_.add_value(name + "_output", dtype, std::move(shape));
        graph::Node node;
        node.name = name;
        node.op_type = op_type;
        node.inputs = std::move(inputs);
        node.outputs = {output};
        node.attributes = std::move(attributes);
        graph_.add_node(std::move(node));
        return output;
    }
    ValueIndex constant(const std::string& name, const std::vector<std::int64_t>& values) {
        const auto count = static_cast<std::int64_t>(values.size());
        graph::Initializer initializer;
        initializer.data = graph::HostTensor::of<std::int64_t>(DType::int64, {count}, values);
        return graph_.add_initializer(name, std::move(initializer), DType::int64, {{count, ""}});
    }

private:
    Graph& graph_;
};

Result<ValueIndex> find_output(const Graph& model, const std::string& name) {
    if (model.outputs.empty())
        return Error{ErrorCode::invalid_input, "the model has no output", "model '" + model.name + "'",
                     "export it with an output that a loss can read"};
    if (name.empty()) return model.outputs.front();
    std::string known;
    for (const ValueIndex output : model.outputs) {
        if (model.values[output].name == name) return output;
        known += (known.empty() ? "'" : ", '") + model.values[output].name + "'";
    }
    return Error{ErrorCode::not_found, "the model has no output '" + name + "'", "model.output", "use " + known};
}

Result<void> check_names(const Graph& model) {
    for (const auto& value : model.values)
        if (value.name == target_name || value.name.starts_with("/loss/") || value.name.starts_with("/metrics/"))
            return Error{ErrorCode::invalid_input, "value '" + value.name + "' has a name that the loss needs",
                         "model '" + model.name + "'", "rename it and export the model again"};
    for (const auto& node : model.nodes)
        if (node.name.starts_with("/loss/") || node.name.starts_with("/metrics/"))
            return Error{ErrorCode::invalid_input, "node '" + node.name + "' has a name that the loss needs",
                         "model '" + model.name + "'", "rename it and export the model again"};
    return {};
}

Error does_not_fit(const Graph& model, ValueIndex output, std::string what, std::string next) {
    const auto& value = model.values[output];
    const std::string shape = value.shape ? shape_text(*value.shape) : "of unknown rank";
    return Error{
        ErrorCode::invalid_input,
        "output '" + value.name + "' (" + std::string(graph::name(value.dtype)) + " " + shape + ") " + std::move(what),
        "train.loss", std::move(next)};
}

Result<void> check_output(const Graph& model, ValueIndex output) {
    const auto& value = model.values[output];
    if (!graph::is_floating(value.dtype))
        return does_not_fit(model, output, "is no floating-point value, so no loss can train it",
                            "choose another output with model.output");
    if (value.producer == graph::no_node)
        return does_not_fit(model, output, "is not computed by any operator", "choose another output");
    if (!graph::element_count(value))
        return does_not_fit(model, output, "has an unknown size", "bind its dimensions in [model.symbols]");
    return {};
}

Result<void> check_classes(const Graph& model, ValueIndex output, std::int64_t classes) {
    const Shape& shape = *model.values[output].shape;
    if (shape.size() < 2)
        return does_not_fit(model, output, "is not of the form [samples, ..., classes] that cross-entropy needs",
                            "use loss = \"mse\", or choose another output with model.output");
    if (shape.back().size < 2)
        return does_not_fit(model, output, "has only one class in its last dimension", "use loss = \"mse\"");
    if (classes > shape.back().size)
        return does_not_fit(
            model, output,
            "has " + std::to_string(shape.back().size) + " classes, the data have " + std::to_string(classes),
            "use a model with at least as many classes as the data");
    return {};
}

void add_cross_entropy(TrainingGraph& training) {
    Graph& graph = training.graph;
    Appender append(graph);
    const Shape shape = *graph.values[training.output].shape;
    const std::int64_t classes = shape.back().size;
    const DType dtype = graph.values[training.output].dtype;
    training.target = graph.add_value(target_name, DType::int64, Shape(shape.begin(), shape.end() - 1));
    graph.inputs.push_back(training.target);

    ValueIndex scores = training.output, labels = training.target;
    const std::int64_t rows = *graph::element_count(graph.values[training.output]) / classes;
    if (shape.size() > 2) {
        scores = append.node("/loss/Reshape", "Reshape", {scores, append.constant("/loss/scores_shape", {-1, classes})},
                             dtype, {{rows, ""}, {classes, ""}});
        labels = append.node("/loss/Reshape_1", "Reshape", {labels, append.constant("/loss/labels_shape", {-1})},
                             DType::int64, {{rows, ""}});
    }
    training.loss = append.node("/loss/SoftmaxCrossEntropyLoss", "SoftmaxCrossEntropyLoss", {scores, labels}, dtype, {},
                                {{"reduction", std::string("mean")}});
    const Shape rows_shape{{rows, ""}};
    const auto best = append.node("/metrics/ArgMax", "ArgMax", {scores}, DType::int64, rows_shape,
                                  {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
    const auto right = append.node("/metrics/Equal", "Equal", {best, labels}, DType::boolean, rows_shape);
    const auto number = append.node("/metrics/Cast", "Cast", {right}, DType::float32, rows_shape,
                                    {{"to", static_cast<std::int64_t>(DType::float32)}});
    const auto share =
        append.node("/metrics/accuracy", "ReduceMean", {number}, DType::float32, {}, {{"keepdims", std::int64_t{0}}});
    training.metrics.push_back({"accuracy", share});
}

void add_mse(TrainingGraph& training) {
    Graph& graph = training.graph;
    Appender append(graph);
    const Shape shape = *graph.values[training.output].shape;
    const DType dtype = graph.values[training.output].dtype;
    training.target = graph.add_value(target_name, dtype, shape);
    graph.inputs.push_back(training.target);
    const auto difference = append.node("/loss/Sub", "Sub", {training.output, training.target}, dtype, shape);
    const auto square = append.node("/loss/Mul", "Mul", {difference, difference}, dtype, shape);
    training.loss = append.node("/loss/ReduceMean", "ReduceMean", {square}, dtype, {}, {{"keepdims", std::int64_t{0}}});
}

/// Trainable weights from which no path leads to the loss.
std::vector<std::string> unreached_weights(const TrainingGraph& training) {
    const Graph& graph = training.graph;
    std::vector<bool> leads(graph.values.size(), false);
    leads[training.loss] = true;
    for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
        const bool any = std::any_of(node->outputs.begin(), node->outputs.end(),
                                     [&](ValueIndex output) { return output != graph::no_value && leads[output]; });
        if (!any) continue;
        for (const ValueIndex input : node->inputs)
            if (input != graph::no_value) leads[input] = true;
    }
    std::vector<std::string> warnings;
    for (const auto& initializer : graph.initializers)
        if (initializer.trainable && !leads[initializer.value])
            warnings.push_back("weight '" + graph.values[initializer.value].name +
                               "' does not reach the loss and will not train; freeze it or choose another output");
    return warnings;
}

}  // namespace

Result<Loss> parse_loss(const std::string& name) {
    if (name == "cross_entropy") return Loss::cross_entropy;
    if (name == "mse") return Loss::mse;
    return Error{ErrorCode::invalid_input, "'" + name + "' is no loss", "train.loss", "use cross_entropy or mse"};
}

Result<TrainingGraph> make_training_graph(const Graph& model, const TrainingOptions& options) {
    DIVISI_ASSIGN(const ValueIndex output, find_output(model, options.output));
    DIVISI_TRY(check_names(model));
    DIVISI_TRY(check_output(model, output));
    const bool classification = options.loss == Loss::cross_entropy;
    if (classification) DIVISI_TRY(check_classes(model, output, options.classes));

    TrainingGraph training;
    training.graph = model;
    training.model_nodes = static_cast<graph::NodeIndex>(model.nodes.size());
    training.output = output;
    if (classification) add_cross_entropy(training);
    else add_mse(training);
    training.graph.outputs.push_back(training.loss);
    for (const Metric& metric : training.metrics) training.graph.outputs.push_back(metric.value);
    // The model is canonical and its nodes come first in the file order, so the loss stays behind them.
    DIVISI_TRY(training.graph.canonicalize());
    assert(training.model_nodes == 0 || training.graph.nodes[training.model_nodes - 1].name == model.nodes.back().name);
    training.warnings = unreached_weights(training);
    return training;
}

}  // namespace divisi::plan
