// SPDX-License-Identifier: Apache-2.0
// Matrix products.
#include <ATen/ATen.h>

#include <algorithm>

#include "agents/segment/kernel_tools.h"
#include "agents/segment/weight_product.h"

namespace divisi::segment {

namespace {

Kernel matrix_product(const graph::Graph&, const graph::Node&) {
    return [](const RunContext& context, const Tensors& x) {
        if (is_weight_product(context, x[0], x[1])) return one(weight_product(x[0], x[1], false, {}));
        return one(at::matmul(x[0], x[1]));
    };
}

/// Computes alpha * A' * B' + beta * C. If the factors are whole numbers, products of integer matrices are computed in
/// integers.
Kernel general_product(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const double alpha = node.real("alpha", 1.0), beta = node.real("beta", 1.0);
    const bool transpose_a = node.flag("transA"), transpose_b = node.flag("transB");
    const bool floating = graph::is_floating(node.input_dtype(0)) || node.input_dtype(0) == graph::DType::undefined;
    const auto factor = [floating](double value) {
        return floating ? at::Scalar(value) : at::Scalar(static_cast<std::int64_t>(value));
    };
    const bool plain = alpha == 1.0 && beta == 1.0 && !transpose_a && floating;
    return [=, a_factor = factor(alpha), b_factor = factor(beta)](const RunContext& context, const Tensors& x) {
        const auto& added = optional_input(x, 2);
        const bool row = !added.defined() || (added.dim() == 1 && added.size(0) == x[1].size(transpose_b ? 0 : 1));
        if (plain && row && is_weight_product(context, x[0], x[1]))
            return one(weight_product(x[0], x[1], transpose_b, added));
        const auto a = transpose_a ? x[0].t() : x[0];
        const auto b = transpose_b ? x[1].t() : x[1];
        if (added.defined()) return one(at::addmm(added, a, b, b_factor, a_factor));
        auto product = at::mm(a, b);
        return one(alpha == 1.0 ? product : at::mul(product, a_factor));
    };
}

Kernel einstein_sum(const graph::Graph& g, const graph::Node& n) {
    auto equation = NodeReader(g, n).text("equation", "");
    std::erase(equation, ' ');
    return [equation](const RunContext&, const Tensors& x) { return one(at::einsum(equation, x)); };
}

Kernel determinant(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) { return one(at::det(x[0])); };
}

}  // namespace

void add_linear_kernels(KernelTable& table) {
    table[":Det"] = determinant;
    table[":Einsum"] = einstein_sum;
    table[":Gemm"] = general_product;
    table[":MatMul"] = matrix_product;
}

}  // namespace divisi::segment
