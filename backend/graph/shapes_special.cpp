// SPDX-License-Identifier: Apache-2.0
// Operators of quantization, signals and vision. A size that depends on data, or that no operator needs, stays open.
// Types are always set, since a value without a type could not carry a gradient.
#include "backend/graph/inference.h"

namespace divisi::graph {

namespace {

std::optional<Shape> shape_in(const NodeInference& node, std::size_t slot) {
    return node.shape(slot) ? std::optional<Shape>(*node.shape(slot)) : std::nullopt;
}

DType dtype_or(const NodeInference& node, std::size_t slot, DType fallback) {
    return node.has_input(slot) ? node.dtype(slot) : fallback;
}

Result<void> quantize(NodeInference& node) {
    node.set(0, dtype_or(node, 2, DType::uint8), shape_in(node, 0));
    return {};
}

Result<void> dequantize(NodeInference& node) {
    node.set(0, node.dtype(1), shape_in(node, 0));
    return {};
}

Result<void> dynamic_quantize(NodeInference& node) {
    node.set(0, DType::uint8, shape_in(node, 0));
    node.set(1, DType::float32, Shape{});
    node.set(2, DType::uint8, Shape{});
    return {};
}

Result<void> integer_product(NodeInference& node) {
    node.set(0, DType::int32, std::nullopt);
    return {};
}

/// Gives the result the type of its zero point.
Result<void> quantized_product(NodeInference& node) {
    node.set(0, node.dtype(7), std::nullopt);
    return {};
}

Result<void> window_function(NodeInference& node) {
    const auto size = node.integers_in(0);
    const Dim length = size && size->size() == 1 && (*size)[0] >= 0 ? dim_of((*size)[0]) : Dim{};
    node.set(0, static_cast<DType>(node.integer("output_datatype", 1)), Shape{length});
    return {};
}

Result<void> mel_weights(NodeInference& node) {
    node.set(0, static_cast<DType>(node.integer("output_datatype", 1)), Shape{Dim{}, Dim{}});
    return {};
}

Result<void> like_first_type(NodeInference& node) {
    node.set(0, node.dtype(0), std::nullopt);
    return {};
}

/// Sets the output to one number for each square matrix.
Result<void> determinant(NodeInference& node) {
    const Shape* x = node.shape(0);
    if (x && x->size() < 2)
        return node.error("the input has rank " + std::to_string(x->size()) + ", but at least rank 2 is needed");
    node.set(0, node.dtype(0), x ? std::optional<Shape>(Shape(x->begin(), x->end() - 2)) : std::nullopt);
    return {};
}

/// Sets the output shape of X [N, C, ...] sampled at the positions grid [N, sides..., rank]: [N, C, sides...].
Result<void> grid_sample(NodeInference& node) {
    const Shape *x = node.shape(0), *grid = node.shape(1);
    if (!x || !grid || x->size() < 3 || grid->size() != x->size()) return like_first_type(node);
    Shape result{merge((*x)[0], (*grid)[0]), (*x)[1]};
    result.insert(result.end(), grid->begin() + 1, grid->end() - 1);
    node.set(0, node.dtype(0), std::move(result));
    return {};
}

/// Sets the output shape of X [N, C, H, W] pooled over the regions [R, 4]: [R, C, output_height, output_width].
Result<void> region_align(NodeInference& node) {
    const Shape *x = node.shape(0), *regions = node.shape(1);
    node.set(0, node.dtype(0),
             Shape{regions && !regions->empty() ? regions->front() : Dim{}, x && x->size() == 4 ? (*x)[1] : Dim{},
                   dim_of(node.integer("output_height", 1)), dim_of(node.integer("output_width", 1))});
    return {};
}

Result<void> non_max_suppression(NodeInference& node) {
    node.set(0, DType::int64, Shape{Dim{}, dim_of(3)});
    return {};
}

Result<void> unique(NodeInference& node) {
    node.set(0, node.dtype(0), std::nullopt);
    for (const std::size_t indices : {1, 2, 3}) node.set(indices, DType::int64, Shape{Dim{}});
    return {};
}

}  // namespace

void add_special_rules(ShapeRules& rules) {
    rules.emplace("QuantizeLinear", quantize);
    rules.emplace("DequantizeLinear", dequantize);
    rules.emplace("DynamicQuantizeLinear", dynamic_quantize);
    for (const char* type : {"ConvInteger", "MatMulInteger"}) rules.emplace(type, integer_product);
    for (const char* type : {"QLinearConv", "QLinearMatMul"}) rules.emplace(type, quantized_product);
    for (const char* type : {"BlackmanWindow", "HammingWindow", "HannWindow"}) rules.emplace(type, window_function);
    rules.emplace("MelWeightMatrix", mel_weights);
    for (const char* type : {"DFT", "MaxUnpool", "STFT"}) rules.emplace(type, like_first_type);
    rules.emplace("Det", determinant);
    rules.emplace("GridSample", grid_sample);
    rules.emplace("RoiAlign", region_align);
    rules.emplace("NonMaxSuppression", non_max_suppression);
    rules.emplace("Unique", unique);
}

}  // namespace divisi::graph
