// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/training_graph.h"

#include <algorithm>
#include <cassert>

#include "backend/plan/error_texts.h"

namespace divisi::plan {

namespace {

using graph::DType;
using graph::Graph;
using graph::NodeIndex;
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

/// Appends nodes with one output each.
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

Result<ValueIndex> find_output(const Graph& model, const std::string& name, const char* where) {
    if (model.outputs.empty()) return make_error(error_text("model-without-output"), "model '" + model.name + "'");
    if (name.empty()) return model.outputs.front();
    std::string known;
    for (const ValueIndex output : model.outputs) {
        if (model.values[output].name == name) return output;
        known += (known.empty() ? "'" : ", '") + model.values[output].name + "'";
    }
    return make_error(error_text("no-output-of-model"), where, {name, known});
}

bool uses_our_name(const std::string& name) {
    return name.starts_with("/loss/") || name.starts_with("/metrics/") || name.starts_with("/results/");
}

Result<void> check_names(const Graph& model) {
    for (const auto& value : model.values)
        if (value.name == target_name || uses_our_name(value.name))
            return make_error(error_text("value-name-taken-by-loss"), "model '" + model.name + "'", {value.name});
    for (const auto& node : model.nodes)
        if (uses_our_name(node.name))
            return make_error(error_text("node-name-taken-by-loss"), "model '" + model.name + "'", {node.name});
    return {};
}

Error does_not_fit(const Graph& model, ValueIndex output, const ErrorText& text, std::vector<std::string> args = {}) {
    const auto& value = model.values[output];
    const std::string shape = value.shape ? shape_text(*value.shape) : "of unknown rank";
    return about("output '" + value.name + "' (" + std::string(graph::name(value.dtype)) + " " + shape + ")",
                 make_error(text, "train.loss", std::move(args)));
}

Result<void> check_output(const Graph& model, ValueIndex output) {
    const auto& value = model.values[output];
    if (!graph::is_floating(value.dtype)) return does_not_fit(model, output, error_text("output-not-floating"));
    if (value.producer == graph::no_node) return does_not_fit(model, output, error_text("no-operator-computes-output"));
    if (!graph::element_count(value)) return does_not_fit(model, output, error_text("output-of-unknown-size"));
    return {};
}

Result<void> check_classes(const Graph& model, ValueIndex output, std::int64_t classes) {
    const Shape& shape = *model.values[output].shape;
    if (shape.size() < 2) return does_not_fit(model, output, error_text("output-unfit-for-cross-entropy"));
    if (shape.back().size < 2) return does_not_fit(model, output, error_text("output-with-one-class"));
    if (classes > shape.back().size)
        return does_not_fit(model, output, error_text("too-few-classes"),
                            {std::to_string(shape.back().size), std::to_string(classes)});
    return {};
}

/// Checks that the losses of several heads can be added without conversion.
Result<void> check_sum(const Graph& model, ValueIndex output) {
    const DType dtype = model.values[output].dtype;
    if (dtype == DType::float32 || dtype == DType::float64) return {};
    return does_not_fit(model, output, error_text("output-unfit-for-sum"));
}

Result<std::vector<Head>> choose_heads(const Graph& model, const TrainingOptions& options) {
    std::vector<Head> heads;
    if (options.heads.empty()) {
        DIVISI_ASSIGN(const ValueIndex output, find_output(model, options.output, "model.output"));
        heads.push_back({model.values[output].name, options.loss, 1.0, output});
        return heads;
    }
    for (const HeadLoss& head : options.heads) {
        DIVISI_ASSIGN(const ValueIndex output, find_output(model, head.output, "train.losses"));
        heads.push_back({head.output, head.loss, head.weight, output});
    }
    const auto position = [&](const Head& head) {
        return std::find(model.outputs.begin(), model.outputs.end(), head.output);
    };
    std::sort(heads.begin(), heads.end(), [&](const Head& a, const Head& b) { return position(a) < position(b); });
    return heads;
}

/// Adds one head's loss and metric. Names are below `scope`: "" or "/NAME".
class HeadBuilder {
public:
    HeadBuilder(TrainingGraph& training, const std::string& scope)
        : training_(training), append_(training.graph), loss_("/loss" + scope), metrics_("/metrics" + scope) {}

    void add_target(Head& head, const std::string& name, DType dtype, Shape shape) {
        head.target = training_.graph.add_value(name, dtype, std::move(shape));
        training_.graph.inputs.push_back(head.target);
    }
    void add_cross_entropy(Head& head) {
        const graph::Value& output = training_.graph.values[head.output];
        const Shape shape = *output.shape;
        const DType dtype = output.dtype;
        const std::int64_t classes = shape.back().size;
        const std::int64_t rows = *graph::element_count(output) / classes;
        scores_ = head.output;
        labels_ = head.target;
        if (shape.size() > 2) {
            scores_ = append_.node(loss_ + "/Reshape", "Reshape",
                                   {scores_, append_.constant(loss_ + "/scores_shape", {-1, classes})}, dtype,
                                   {{rows, ""}, {classes, ""}});
            labels_ =
                append_.node(loss_ + "/Reshape_1", "Reshape",
                             {labels_, append_.constant(loss_ + "/labels_shape", {-1})}, DType::int64, {{rows, ""}});
        }
        head.loss = append_.node(loss_ + "/SoftmaxCrossEntropyLoss", "SoftmaxCrossEntropyLoss", {scores_, labels_},
                                 dtype, {}, {{"reduction", std::string("mean")}});
        rows_ = {{rows, ""}};
    }
    void add_accuracy(Head& head) {
        const auto best = append_.node(metrics_ + "/ArgMax", "ArgMax", {scores_}, DType::int64, rows_,
                                       {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
        const auto right = append_.node(metrics_ + "/Equal", "Equal", {best, labels_}, DType::boolean, rows_);
        const auto number = append_.node(metrics_ + "/Cast", "Cast", {right}, DType::float32, rows_,
                                         {{"to", static_cast<std::int64_t>(DType::float32)}});
        head.accuracy = append_.node(metrics_ + "/accuracy", "ReduceMean", {number}, DType::float32, {},
                                     {{"keepdims", std::int64_t{0}}});
    }
    void add_mse(Head& head) {
        const graph::Value& output = training_.graph.values[head.output];
        const Shape shape = *output.shape;
        const DType dtype = output.dtype;
        const auto difference = append_.node(loss_ + "/Sub", "Sub", {head.output, head.target}, dtype, shape);
        const auto square = append_.node(loss_ + "/Mul", "Mul", {difference, difference}, dtype, shape);
        head.loss =
            append_.node(loss_ + "/ReduceMean", "ReduceMean", {square}, dtype, {}, {{"keepdims", std::int64_t{0}}});
    }

private:
    TrainingGraph& training_;
    Appender append_;
    std::string loss_, metrics_;
    ValueIndex scores_ = graph::no_value, labels_ = graph::no_value;  ///< flattened; used by loss and accuracy
    Shape rows_;
};

/// Adds the target of a head, with the shape and type that the loss of the head needs.
void add_target(TrainingGraph& training, HeadBuilder& builder, Head& head, const std::string& name) {
    const graph::Value output = training.graph.values[head.output];
    if (head.kind == Loss::mse) return builder.add_target(head, name, output.dtype, *output.shape);
    builder.add_target(head, name, DType::int64, Shape(output.shape->begin(), output.shape->end() - 1));
}

void add_single_loss(TrainingGraph& training) {
    Head& head = training.heads.front();
    HeadBuilder builder(training, "");
    add_target(training, builder, head, target_name);
    if (head.kind == Loss::cross_entropy) {
        builder.add_cross_entropy(head);
        builder.add_accuracy(head);
    } else {
        builder.add_mse(head);
    }
    training.loss = head.loss;
    training.anchors.assign(training.graph.nodes.size() - static_cast<std::size_t>(training.model_nodes),
                            graph::no_node);
}

/// Adds the node total = weight * loss + weight * loss + ..., summed from left to right.
void add_total(TrainingGraph& training) {
    Graph& graph = training.graph;
    Appender append(graph);
    for (std::size_t i = 0; i < training.heads.size(); ++i) {
        const Head& head = training.heads[i];
        const DType dtype = graph.values[head.loss].dtype;
        graph::Initializer weight;
        weight.data = dtype == DType::float64
                          ? graph::HostTensor::of<double>(dtype, {}, {head.weight})
                          : graph::HostTensor::of<float>(dtype, {}, {static_cast<float>(head.weight)});
        const auto factor = graph.add_initializer("/loss/total/weight_" + head.name, std::move(weight), dtype, {});
        const auto share = append.node("/loss/total/Mul_" + head.name, "Mul", {head.loss, factor}, dtype, {});
        training.loss =
            i == 0 ? share : append.node("/loss/total/Add_" + head.name, "Add", {training.loss, share}, dtype, {});
    }
}

void add_head_losses(TrainingGraph& training) {
    Graph& graph = training.graph;
    const auto anchor = [&](NodeIndex node) {
        training.anchors.resize(graph.nodes.size() - static_cast<std::size_t>(training.model_nodes), node);
    };
    std::vector<HeadBuilder> builders;
    for (Head& head : training.heads) {
        HeadBuilder& builder = builders.emplace_back(training, "/" + head.name);
        add_target(training, builder, head, target_name + ("/" + head.name));
        if (head.kind == Loss::cross_entropy) builder.add_cross_entropy(head);
        else builder.add_mse(head);
        anchor(graph.values[head.output].producer);
    }
    add_total(training);
    anchor(graph::no_node);
    for (std::size_t i = 0; i < training.heads.size(); ++i) {
        Head& head = training.heads[i];
        if (head.kind != Loss::cross_entropy) continue;
        builders[i].add_accuracy(head);
        anchor(graph.values[head.output].producer);
        // Moves the accuracy to the last segment, which reports the accuracies of all heads.
        head.accuracy = Appender(graph).node("/metrics/" + head.name + "/Identity", "Identity", {head.accuracy},
                                             DType::float32, {});
        anchor(graph::no_node);
    }
}

/// Adds nodes that bring outputs and targets to the last segment as results.
void add_results(TrainingGraph& training, bool labels) {
    for (Head& head : training.heads) {
        const std::string scope = training.multi_task ? "/" + head.name : "";
        HeadBuilder builder(training, scope);
        const auto bring = [&](ValueIndex value, const char* name) {
            const graph::Value source = training.graph.values[value];
            const ValueIndex brought =
                Appender(training.graph)
                    .node("/results" + scope + name, "Identity", {value}, source.dtype, *source.shape);
            training.graph.outputs.push_back(brought);
            return brought;
        };
        head.result = bring(head.output, "/output");
        if (!labels) continue;
        add_target(training, builder, head, target_name + scope);
        head.label = bring(head.target, "/target");
    }
    training.anchors.assign(training.graph.nodes.size() - static_cast<std::size_t>(training.model_nodes),
                            graph::no_node);
}

/// Returns the trainable weights from which no path leads to the loss.
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
    return make_error(error_text("no-loss-of-name"), "train.loss", {name});
}

bool TrainingGraph::is_target(ValueIndex value) const {
    return std::any_of(heads.begin(), heads.end(), [&](const Head& head) { return head.target == value; });
}

Result<TrainingGraph> make_training_graph(const Graph& model, const TrainingOptions& options) {
    DIVISI_TRY(check_names(model));
    TrainingGraph training;
    training.graph = model;
    training.model_nodes = static_cast<graph::NodeIndex>(model.nodes.size());
    training.multi_task = !options.heads.empty();
    DIVISI_ASSIGN(training.heads, choose_heads(model, options));
    for (const Head& head : training.heads) {
        DIVISI_TRY(check_output(model, head.output));
        if (head.kind == Loss::cross_entropy) DIVISI_TRY(check_classes(model, head.output, options.classes));
        if (training.multi_task) DIVISI_TRY(check_sum(model, head.output));
    }
    if (options.batch) {
        add_results(training, options.labels);
        DIVISI_TRY(training.graph.canonicalize());
        return training;
    }
    if (training.multi_task) add_head_losses(training);
    else add_single_loss(training);
    training.graph.outputs.push_back(training.loss);
    for (const Head& head : training.heads)
        if (head.accuracy != graph::no_value) training.graph.outputs.push_back(head.accuracy);
    // The model is canonical and its nodes come first in file order, so the loss stays after them.
    DIVISI_TRY(training.graph.canonicalize());
    assert(training.model_nodes == 0 || training.graph.nodes[training.model_nodes - 1].name == model.nodes.back().name);
    training.warnings = unreached_weights(training);
    return training;
}

}  // namespace divisi::plan
