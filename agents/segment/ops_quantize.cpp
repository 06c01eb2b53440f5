// SPDX-License-Identifier: Apache-2.0
// Quantized numbers and their products; integer sums are exact.
#include <ATen/ATen.h>

#include <utility>

#include "agents/segment/kernel_tools.h"
#include "agents/segment/window.h"

namespace divisi::segment {

namespace {

std::pair<std::int64_t, std::int64_t> limits_of(at::ScalarType type) {
    if (type == at::kChar) return {-128, 127};
    return {0, 255};
}

/// Returns a per-axis scale or zero point, with a shape that broadcasts against `x`; a scalar stays a scalar.
at::Tensor along(const at::Tensor& values, const at::Tensor& x, std::int64_t axis) {
    if (values.numel() == 1) return values.reshape({});
    Ints shape(static_cast<std::size_t>(x.dim()), 1);
    shape[static_cast<std::size_t>(positive_axis(axis, x.dim()))] = values.numel();
    return values.reshape(shape);
}

/// Computes saturate(round_half_to_even(x) + zero).
at::Tensor saturate(const at::Tensor& x, const at::Tensor& zero, at::ScalarType type) {
    const auto [low, high] = limits_of(type);
    return at::clamp(at::add(at::round(x), zero), low, high).to(type);
}

Kernel quantize(const graph::Graph& g, const graph::Node& n) {
    const auto axis = NodeReader(g, n).integer("axis", 1);
    return [axis](const RunContext&, const Tensors& x) {
        const auto& zero = optional_input(x, 2);
        const auto scaled = at::div(x[0], along(x[1], x[0], axis));
        if (!zero.defined()) return one(saturate(scaled, at::zeros({}, scaled.options()), at::kByte));
        return one(saturate(scaled, along(zero, x[0], axis).to(scaled.scalar_type()), zero.scalar_type()));
    };
}

Kernel dequantize(const graph::Graph& g, const graph::Node& n) {
    const auto axis = NodeReader(g, n).integer("axis", 1);
    return [axis](const RunContext&, const Tensors& x) {
        const auto type = x[1].scalar_type();
        auto value = x[0].to(at::kInt);
        const auto& zero = optional_input(x, 2);
        if (zero.defined()) value = at::sub(value, along(zero, x[0], axis).to(at::kInt));
        return one(at::mul(value.to(type), along(x[1], x[0], axis)));
    };
}

/// Maps the range of x, extended to contain zero, to 0..255.
Kernel dynamic_quantize(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) {
        const auto low = at::clamp_max(at::min(x[0]), 0), high = at::clamp_min(at::max(x[0]), 0);
        const auto scale = at::div(at::sub(high, low), 255);
        const auto zero = at::clamp(at::round(at::div(at::neg(low), scale)), 0, 255);
        return Tensors{saturate(at::div(x[0], scale), zero, at::kByte), scale, zero.to(at::kByte)};
    };
}

/// Returns the numbers minus their zero point, in float64, in which products and sums of 8-bit numbers are exact.
at::Tensor centred(const at::Tensor& x, const at::Tensor& zero, std::int64_t axis) {
    const auto wide = x.to(at::kDouble);
    if (!zero.defined()) return wide;
    return at::sub(wide, along(zero, x, axis).to(at::kDouble));
}

Kernel integer_matrix_product(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) {
        const auto a = centred(x[0], optional_input(x, 2), -2), b = centred(x[1], optional_input(x, 3), -1);
        return one(at::matmul(a, b).to(at::kInt));
    };
}

at::Tensor exact_convolution(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                             const Window& window, std::int64_t groups) {
    const auto sizes = weight.sizes().slice(2);
    const Ints none(sizes.size(), 0);
    const auto padded = at::constant_pad_nd(x, torch_padding(window.padding(x, sizes)), 0);
    return at::convolution(padded, weight, bias, window.all_strides(sizes.size()), none,
                           window.all_dilations(sizes.size()), false, none, groups);
}

Kernel integer_convolution(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    return [groups = node.integer("group", 1), window = Window(node)](const RunContext&, const Tensors& x) {
        const auto input = centred(x[0], optional_input(x, 2), 0), weight = centred(x[1], optional_input(x, 3), 0);
        return one(exact_convolution(input, weight, {}, window, groups).to(at::kInt));
    };
}

Kernel quantized_matrix_product(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) {
        const auto sums = at::matmul(centred(x[0], x[2], -2), centred(x[3], x[5], -1));
        const auto factor = at::div(at::mul(along(x[1], x[0], -2).to(at::kDouble), along(x[4], x[3], -1)), x[6]);
        return one(saturate(at::mul(sums, factor), x[7].to(at::kDouble), x[7].scalar_type()));
    };
}

Kernel quantized_convolution(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    return [groups = node.integer("group", 1), window = Window(node)](const RunContext&, const Tensors& x) {
        const auto& bias = optional_input(x, 8);
        const auto sums = exact_convolution(centred(x[0], x[2], 1), centred(x[3], x[5], 0),
                                            bias.defined() ? bias.to(at::kDouble) : bias, window, groups);
        const auto factor = at::div(at::mul(x[1].to(at::kDouble), along(x[4], sums, 1)), x[6]);
        return one(saturate(at::mul(sums, factor), x[7].to(at::kDouble), x[7].scalar_type()));
    };
}

}  // namespace

void add_quantize_kernels(KernelTable& table) {
    table[":ConvInteger"] = integer_convolution;
    table[":DequantizeLinear"] = dequantize;
    table[":DynamicQuantizeLinear"] = dynamic_quantize;
    table[":MatMulInteger"] = integer_matrix_product;
    table[":QLinearConv"] = quantized_convolution;
    table[":QLinearMatMul"] = quantized_matrix_product;
    table[":QuantizeLinear"] = quantize;
}

}  // namespace divisi::segment
