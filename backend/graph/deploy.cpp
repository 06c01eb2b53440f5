// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/deploy.h"

#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "backend/graph/attention.h"

namespace divisi::graph {

namespace {

bool unused(const Graph& graph, ValueIndex index) {
    if (index == no_value) return true;
    for (const ValueIndex output : graph.outputs)
        if (output == index) return false;
    return graph.values[index].consumers.empty();
}

bool outputs_unused(const Graph& graph, const Node& node, std::size_t first) {
    for (std::size_t i = first; i < node.outputs.size(); ++i)
        if (!unused(graph, node.outputs[i])) return false;
    return true;
}

void leave_training_mode(const Graph& graph, Node& node) {
    if (!outputs_unused(graph, node, 1)) return;
    if (node.op_type == "BatchNormalization") {
        node.attributes.erase("training_mode");
        node.outputs.resize(1);
    } else if (node.op_type == "Dropout") {
        if (node.inputs.size() > 1) node.inputs.resize(1);  // without ratio and training_mode, data passes unchanged
        node.attributes.erase("seed");
        node.outputs.resize(1);
    }
}

/// Writes the nodes that replace one node. Each of the new nodes except the last creates a new value.
class Rewriter {
public:
    Rewriter(Graph& graph, const Node& original, std::vector<Node>& nodes)
        : graph_(graph), original_(original), nodes_(nodes) {}

    ValueIndex op(const std::string& part, const std::string& type, std::vector<ValueIndex> inputs) {
        return add(part, type, std::move(inputs), graph_.add_value(original_.name + "/" + part + "_output_0", dtype()));
    }
    void last(const std::string& part, const std::string& type, std::vector<ValueIndex> inputs) {
        add(part, type, std::move(inputs), original_.outputs[0]);
    }
    ValueIndex number(const std::string& part, double value) {
        const HostTensor tensor = dtype() == DType::float64
                                      ? HostTensor::of<double>(DType::float64, {}, {value})
                                      : HostTensor::of<float>(DType::float32, {}, {static_cast<float>(value)});
        const ValueIndex result = op(part, "Constant", {});
        nodes_.back().attributes["value"] = tensor;
        return result;
    }
    DType dtype() const { return graph_.values[original_.inputs[0]].dtype; }

private:
    ValueIndex add(const std::string& part, const std::string& type, std::vector<ValueIndex> inputs,
                   ValueIndex output) {
        nodes_.push_back(Node{original_.name + "/" + part, type, "", std::move(inputs), {output}, {}});
        return output;
    }

    Graph& graph_;
    const Node& original_;
    std::vector<Node>& nodes_;
};

/// Replaces a Gelu: Gelu(x) = x / 2 * (1 + erf(x / sqrt(2))), or with "tanh": x / 2 * (1 + tanh(sqrt(2 / pi) * (x +
/// 0.044715 x^3))).
void lower_gelu(Graph& graph, const Node& node, std::vector<Node>& nodes) {
    Rewriter r(graph, node, nodes);
    const ValueIndex x = node.inputs[0];
    const auto approximate = node.attributes.find("approximate");
    const auto* kind = approximate == node.attributes.end() ? nullptr : get_if<std::string>(&approximate->second);
    ValueIndex curve = no_value;
    if (kind && *kind == "tanh") {
        const ValueIndex square = r.op("Square", "Mul", {x, x});
        const ValueIndex cube = r.op("Cube", "Mul", {square, x});
        const ValueIndex bent = r.op("Bend", "Mul", {cube, r.number("Coefficient", 0.044715)});
        const ValueIndex inner = r.op("Inner", "Add", {x, bent});
        const ValueIndex scale = r.number("Scale", std::sqrt(2.0 / std::numbers::pi));
        curve = r.op("Tanh", "Tanh", {r.op("Mul", "Mul", {inner, scale})});
    } else {
        curve = r.op("Erf", "Erf", {r.op("Div", "Div", {x, r.number("Sqrt2", std::numbers::sqrt2)})});
    }
    const ValueIndex raised = r.op("Add", "Add", {curve, r.number("One", 1.0)});
    const ValueIndex half = r.op("Half", "Mul", {x, r.number("OneHalf", 0.5)});
    r.last("Product", "Mul", {half, raised});
}

double real(const Node& node, const char* name, double fallback) {
    const auto found = node.attributes.find(name);
    const auto* value = found == node.attributes.end() ? nullptr : get_if<float>(&found->second);
    return value ? *value : fallback;
}

bool flag(const Node& node, const char* name) {
    const auto found = node.attributes.find(name);
    const auto* value = found == node.attributes.end() ? nullptr : get_if<std::int64_t>(&found->second);
    return value && *value != 0;
}

/// Replaces a fused attention by the operators that fuse_attention() joined, or by equivalent operators.
void lower_attention(Graph& graph, const Node& node, std::vector<Node>& nodes) {
    Rewriter r(graph, node, nodes);
    const auto input = [&](AttentionInput slot) {
        const auto at = static_cast<std::size_t>(slot);
        return at < node.inputs.size() ? node.inputs[at] : no_value;
    };
    const ValueIndex query = r.op("Mul", "Mul", {node.inputs[0], r.number("Scale", real(node, "scale", 1.0))});
    ValueIndex scores = r.op("Scores", "MatMul", {query, input(AttentionInput::keys)});
    if (const ValueIndex condition = input(AttentionInput::condition); condition != no_value) {
        const ValueIndex fill = r.number("Fill", real(node, "fill", 0.0));
        const bool keep = flag(node, "keep");
        scores = r.op("Where", "Where", {condition, keep ? scores : fill, keep ? fill : scores});
    }
    if (const ValueIndex bias = input(AttentionInput::bias); bias != no_value)
        scores = r.op("Add", "Add", {scores, bias});
    ValueIndex weights = r.op("Softmax", "Softmax", {scores});
    nodes.back().attributes["axis"] = static_cast<std::int64_t>(graph.values[node.inputs[0]].shape->size()) - 1;
    if (flag(node, "safe")) {
        const ValueIndex missing = r.op("IsNaN", "IsNaN", {weights});
        graph.values[missing].dtype = DType::boolean;
        weights = r.op("Guard", "Where", {missing, r.number("Zero", 0.0), weights});
    }
    r.last("Product", "MatMul", {weights, input(AttentionInput::values)});
}

}  // namespace

Graph deployable(Graph graph) {
    std::vector<Node> nodes;
    nodes.reserve(graph.nodes.size());
    const std::vector<Node> originals = std::move(graph.nodes);
    for (const Node& original : originals) {
        const bool standard = original.domain.empty() || original.domain == "ai.onnx";
        const DType dtype = original.inputs.empty() || original.inputs[0] == no_value
                                ? DType::undefined
                                : graph.values[original.inputs[0]].dtype;
        const bool plain = dtype == DType::float32 || dtype == DType::float64;
        if (standard && original.op_type == "Gelu" && plain) {
            lower_gelu(graph, original, nodes);
            continue;
        }
        if (is_attention(original)) {
            lower_attention(graph, original, nodes);
            continue;
        }
        nodes.push_back(original);
        if (standard) leave_training_mode(graph, nodes.back());
    }
    graph.nodes = std::move(nodes);
    graph.other_opsets.erase(std::string(attention_domain));
    return graph;
}

}  // namespace divisi::graph
