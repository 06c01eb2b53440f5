// SPDX-License-Identifier: Apache-2.0
#include "backend/graph/operator_forms.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace divisi::graph {

namespace {

using Refusal = std::optional<std::string>;

/// Returns whether Divisi can compute with this element type.
bool runs(DType dtype) {
    switch (dtype) {
        case DType::float16:
        case DType::bfloat16:
        case DType::float32:
        case DType::float64:
        case DType::uint8:
        case DType::int8:
        case DType::int16:
        case DType::int32:
        case DType::int64:
        case DType::boolean: return true;
        default: return false;
    }
}

template <typename T>
const T* attribute(const Node& node, const char* name) {
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : get_if<T>(&found->second);
}

std::int64_t integer(const Node& node, const char* name, std::int64_t fallback) {
    const auto* value = attribute<std::int64_t>(node, name);
    return value ? *value : fallback;
}

std::string text(const Node& node, const char* name) {
    const auto* value = attribute<std::string>(node, name);
    return value ? *value : std::string();
}

std::size_t length(const Node& node, const char* name) {
    const auto* value = attribute<std::vector<std::int64_t>>(node, name);
    return value ? value->size() : 0;
}

bool has_input(const Node& node, std::size_t slot) {
    return slot < node.inputs.size() && node.inputs[slot] != no_value;
}

bool has_output(const Node& node, std::size_t slot) {
    return slot < node.outputs.size() && node.outputs[slot] != no_value;
}

DType input_type(const Graph& graph, const Node& node, std::size_t slot) {
    return has_input(node, slot) ? graph.values[node.inputs[slot]].dtype : DType::undefined;
}

std::string of_type(DType dtype) { return "with elements of type " + std::string(name(dtype)); }

/// Checks the element types of the node's inputs and outputs, as far as they are known at import.
Refusal refused_value(const Graph& graph, const Node& node) {
    for (const auto* list : {&node.inputs, &node.outputs}) {
        for (const ValueIndex index : *list) {
            if (index == no_value) continue;
            const Value& value = graph.values[index];
            if (value.dtype != DType::undefined && !runs(value.dtype)) return of_type(value.dtype);
        }
    }
    return {};
}

/// Checks a result type requested by an attribute.
Refusal refused_result(const Node& node, const char* name) {
    const auto* type = attribute<std::int64_t>(node, name);
    if (type == nullptr || *type == 0 || runs(static_cast<DType>(*type))) return {};
    if (*type > static_cast<std::int64_t>(DType::bfloat16))
        return "with a result of the ONNX type " + std::to_string(*type);
    return of_type(static_cast<DType>(*type));
}

Refusal refuse_constant(const Graph&, const Node& node) {
    for (const char* name : {"value_string", "value_strings", "sparse_value"})
        if (node.attributes.contains(name)) return std::string("with the attribute ") + name;
    if (const auto* value = attribute<HostTensor>(node, "value"); value && !runs(value->dtype))
        return of_type(value->dtype);
    return {};
}

Refusal refuse_window(const Graph&, const Node& node) {
    constexpr std::size_t most = 3;
    if (std::max(length(node, "kernel_shape"), length(node, "strides")) > most)
        return "over more than three spatial dimensions";
    return {};
}

Refusal refuse_batch_normalization(const Graph& graph, const Node& node) {
    if (has_output(node, 3) || has_output(node, 4)) return "with saved statistics as outputs";
    if (graph.opset < 9 && integer(node, "spatial", 1) == 0) return "with spatial = 0";
    return {};
}

Refusal refuse_dropout(const Graph& graph, const Node& node) {
    if (graph.opset < 7 && integer(node, "is_test", 0) == 0) return "in the training form of opset 6 and older";
    return {};
}

Refusal refuse_quantized(const Graph& graph, const Node& node) {
    if (integer(node, "block_size", 0) != 0) return "with blocks";
    const std::set<DType> known{DType::undefined, DType::uint8, DType::int8};
    const bool back = node.op_type == "DequantizeLinear";
    const auto type = input_type(graph, node, back ? 0 : 2);
    if (!known.contains(type) && !(back && type == DType::int32)) return of_type(type);
    const auto result = integer(node, "output_dtype", 0);
    if (result != 0 && !known.contains(static_cast<DType>(result))) return "with an output_dtype other than 8 bits";
    return {};
}

Refusal refuse_recurrence(const Graph&, const Node& node) {
    static const std::set<std::string> known{"Affine",   "Elu",        "HardSigmoid",    "LeakyRelu",
                                             "Relu",     "ScaledTanh", "Sigmoid",        "Softplus",
                                             "Softsign", "Tanh",       "ThresholdedRelu"};
    const auto* names = attribute<std::vector<std::string>>(node, "activations");
    if (names == nullptr) return {};
    for (const auto& name : *names)
        if (!known.contains(name)) return "with the activation " + name;
    return {};
}

Refusal refuse_resize(const Graph&, const Node& node) {
    if (integer(node, "antialias", 0) != 0) return "with antialias";
    if (node.attributes.contains("axes")) return "with axes";
    if (const auto policy = text(node, "keep_aspect_ratio_policy"); !policy.empty() && policy != "stretch")
        return "with the policy " + policy;
    if (text(node, "coordinate_transformation_mode") == "half_pixel_symmetric")
        return "with half_pixel_symmetric coordinates";
    return {};
}

Refusal refuse_region_align(const Graph&, const Node& node) {
    if (text(node, "mode") == "max") return "with the mode max";
    return {};
}

Refusal refuse_grid_sample(const Graph& graph, const Node& node) {
    if (!has_input(node, 0)) return {};
    const auto& shape = graph.values[node.inputs[0]].shape;
    const bool flat = !shape || shape->size() == 4;
    if (shape && shape->size() != 4 && shape->size() != 5)
        return "over fewer than two or more than three spatial dimensions";
    if (!flat && text(node, "mode").ends_with("cubic")) return "with cubic interpolation in three dimensions";
    if (!flat && text(node, "mode") == "nearest") return "with nearest-neighbour interpolation in three dimensions";
    return {};
}

Refusal refuse_fourier_transform(const Graph&, const Node& node) {
    if (integer(node, "inverse", 0) != 0 && integer(node, "onesided", 0) != 0)
        return "that is both inverse and one-sided";
    return {};
}

/// Refuses the broadcast form of opset 6 and earlier: broadcasting had to be requested, and `axis` aligned the second
/// operand.
Refusal refuse_old_broadcast(const Graph& graph, const Node& node) {
    if (graph.opset < 7 && node.attributes.contains("axis")) return "with the broadcasting axis of opset 6 and older";
    return {};
}

/// Refuses operators in the form of an old opset if a later opset has redefined them.
Refusal refuse_old_form(const Graph& graph, const Node& node) {
    static const std::map<std::string_view, std::int64_t> first_taken{
        {"Cast", 6}, {"GlobalLpPool", 2}, {"LpPool", 2}, {"Tile", 6}, {"Upsample", 7}};
    const auto found = first_taken.find(node.op_type);
    if (found == first_taken.end() || graph.opset >= found->second) return {};
    return "as opset " + std::to_string(graph.opset) + " defines it";
}

using Check = Refusal (*)(const Graph&, const Node&);

const std::map<std::string_view, Check>& checks() {
    static const std::map<std::string_view, Check> table{
        {"Add", refuse_old_broadcast},     {"And", refuse_old_broadcast},
        {"AveragePool", refuse_window},    {"BatchNormalization", refuse_batch_normalization},
        {"Constant", refuse_constant},     {"Conv", refuse_window},
        {"ConvInteger", refuse_window},    {"ConvTranspose", refuse_window},
        {"DFT", refuse_fourier_transform}, {"DequantizeLinear", refuse_quantized},
        {"Div", refuse_old_broadcast},     {"Dropout", refuse_dropout},
        {"Equal", refuse_old_broadcast},   {"GRU", refuse_recurrence},
        {"Greater", refuse_old_broadcast}, {"GridSample", refuse_grid_sample},
        {"LSTM", refuse_recurrence},       {"Less", refuse_old_broadcast},
        {"LpPool", refuse_window},         {"MaxPool", refuse_window},
        {"MaxUnpool", refuse_window},      {"Mul", refuse_old_broadcast},
        {"Or", refuse_old_broadcast},      {"Pow", refuse_old_broadcast},
        {"QLinearConv", refuse_window},    {"QuantizeLinear", refuse_quantized},
        {"RNN", refuse_recurrence},        {"Resize", refuse_resize},
        {"RoiAlign", refuse_region_align}, {"Sub", refuse_old_broadcast},
        {"Xor", refuse_old_broadcast},
    };
    return table;
}

}  // namespace

std::optional<std::string> refused_form(const Graph& graph, const Node& node) {
    if (auto refusal = refused_value(graph, node)) return refusal;
    if (auto refusal = refuse_old_form(graph, node)) return refusal;
    for (const char* name : {"to", "dtype", "output_datatype"})
        if (auto refusal = refused_result(node, name)) return refusal;
    if (node.op_type == "ConstantOfShape")
        if (const auto* value = attribute<HostTensor>(node, "value"); value && !runs(value->dtype))
            return of_type(value->dtype);
    const auto check = checks().find(node.op_type);
    return check == checks().end() ? Refusal() : check->second(graph, node);
}

}  // namespace divisi::graph
