// SPDX-License-Identifier: Apache-2.0
// Operators that create tensors, and conversion between element types.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "agents/segment/kernel_tools.h"
#include "agents/segment/tensors.h"

namespace divisi::segment {

namespace {

/// Makes the kernel of Constant. Imported models have initializers instead, but graphs built in code may contain this
/// node.
Kernel constant(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    at::Tensor value;
    if (const auto* tensor = node.tensor("value")) value = own_copy(import_tensor(*tensor, at::kCPU));
    else if (node.has("value_float")) value = at::scalar_tensor(node.real("value_float", 0), at::kFloat);
    else if (node.has("value_int")) value = at::scalar_tensor(node.integer("value_int", 0), at::kLong);
    else if (const auto reals = node.reals("value_floats")) value = at::tensor(*reals, at::kFloat);
    else if (const auto integers = node.integers("value_ints")) value = at::tensor(*integers, at::kLong);
    else throw std::invalid_argument("a constant that is neither a tensor nor a list of numbers");
    return [value](const RunContext& context, const Tensors&) { return one(value.to(context.device)); };
}

Kernel constant_of_shape(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto* given = node.tensor("value");
    const auto value = given ? own_copy(import_tensor(*given, at::kCPU)).reshape({}) : at::zeros({}, at::kFloat);
    return [value, list = IntegerList(node, "shape", 0)](const RunContext& context, const Tensors& x) {
        return one(at::full(list.at(x).value(), value.item(), value.options().device(context.device)));
    };
}

/// Makes the kernel of Range: start, start + delta, ..., max(ceil((limit - start) / delta), 0) elements.
Kernel range(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) {
        const auto options = x[0].options();
        if (!at::isFloatingType(x[0].scalar_type())) {
            const auto start = to_integers(x[0]).at(0), limit = to_integers(x[1]).at(0);
            const auto delta = to_integers(x[2]).at(0);
            if (delta == 0) throw std::invalid_argument("a range with step 0");
            if ((delta > 0) == (start >= limit)) return one(at::empty({0}, options));
            return one(at::arange(start, limit, delta, options));
        }
        const auto start = to_reals(x[0]).at(0), limit = to_reals(x[1]).at(0), delta = to_reals(x[2]).at(0);
        const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil((limit - start) / delta)), 0);
        return one(at::add(at::mul(at::arange(count, options), delta), start));
    };
}

Kernel eye_like(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto offset = node.integer("k", 0);
    const auto dtype = static_cast<graph::DType>(node.integer("dtype", 0));
    return [=](const RunContext&, const Tensors& x) {
        const auto type = dtype == graph::DType::undefined ? x[0].scalar_type() : to_scalar_type(dtype);
        const auto options = x[0].options().dtype(at::kLong);
        const auto rows = at::arange(x[0].size(0), options).unsqueeze(1);
        const auto columns = at::arange(x[0].size(1), options).unsqueeze(0);
        return one(at::eq(at::sub(columns, rows), offset).to(type));
    };
}

/// Truncates fractions toward zero. Out-of-range values depend on the processor, as in C.
Kernel cast(const graph::Graph& g, const graph::Node& n) {
    const auto type = to_scalar_type(static_cast<graph::DType>(NodeReader(g, n).integer("to", 0)));
    return [type](const RunContext&, const Tensors& x) { return one(x[0].to(type)); };
}

Kernel cast_like(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) { return one(x[0].to(x[1].scalar_type())); };
}

}  // namespace

void add_source_kernels(KernelTable& table) {
    table[":Cast"] = cast;
    table[":CastLike"] = cast_like;
    table[":Constant"] = constant;
    table[":ConstantOfShape"] = constant_of_shape;
    table[":EyeLike"] = eye_like;
    table[":Range"] = range;
}

}  // namespace divisi::segment
