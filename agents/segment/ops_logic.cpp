// SPDX-License-Identifier: Apache-2.0
// Comparison, logic, bits and selection; of these, only Where has a gradient.
#include <ATen/ATen.h>

#include <limits>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

at::Tensor equal(const at::Tensor& a, const at::Tensor& b) { return at::eq(a, b); }
at::Tensor greater(const at::Tensor& a, const at::Tensor& b) { return at::gt(a, b); }
at::Tensor greater_or_equal(const at::Tensor& a, const at::Tensor& b) { return at::ge(a, b); }
at::Tensor less(const at::Tensor& a, const at::Tensor& b) { return at::lt(a, b); }
at::Tensor less_or_equal(const at::Tensor& a, const at::Tensor& b) { return at::le(a, b); }
at::Tensor bitwise_and(const at::Tensor& a, const at::Tensor& b) { return at::bitwise_and(a, b); }
at::Tensor bitwise_or(const at::Tensor& a, const at::Tensor& b) { return at::bitwise_or(a, b); }
at::Tensor bitwise_xor(const at::Tensor& a, const at::Tensor& b) { return at::bitwise_xor(a, b); }

Kernel bit_shift(const graph::Graph& g, const graph::Node& n) {
    const bool left = NodeReader(g, n).text("direction", "") == "LEFT";
    return [left](const RunContext&, const Tensors& x) {
        return one(left ? at::bitwise_left_shift(x[0], x[1]) : at::bitwise_right_shift(x[0], x[1]));
    };
}

Kernel is_infinite(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool positive = node.flag("detect_positive", true);
    const bool negative = node.flag("detect_negative", true);
    return [=](const RunContext&, const Tensors& x) {
        if (positive && negative) return one(at::isinf(x[0]));
        if (positive) return one(at::isposinf(x[0]));
        if (negative) return one(at::isneginf(x[0]));
        return one(at::zeros_like(x[0], at::kBool));
    };
}

Kernel where(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) { return one(at::where(x[0], x[1], x[2])); };
}

}  // namespace

void add_logic_kernels(KernelTable& table) {
    table[":And"] = binary<at::logical_and>;
    table[":BitShift"] = bit_shift;
    table[":BitwiseAnd"] = binary<bitwise_and>;
    table[":BitwiseNot"] = unary<at::bitwise_not>;
    table[":BitwiseOr"] = binary<bitwise_or>;
    table[":BitwiseXor"] = binary<bitwise_xor>;
    table[":Equal"] = binary<equal>;
    table[":Greater"] = binary<greater>;
    table[":GreaterOrEqual"] = binary<greater_or_equal>;
    table[":IsInf"] = is_infinite;
    table[":IsNaN"] = unary<at::isnan>;
    table[":Less"] = binary<less>;
    table[":LessOrEqual"] = binary<less_or_equal>;
    table[":Not"] = unary<at::logical_not>;
    table[":Or"] = binary<at::logical_or>;
    table[":Where"] = where;
    table[":Xor"] = binary<at::logical_xor>;
}

}  // namespace divisi::segment
