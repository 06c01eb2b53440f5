// SPDX-License-Identifier: Apache-2.0
// Reading and writing by index.
#include <ATen/ATen.h>

#include <algorithm>
#include <stdexcept>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

/// Returns int64 indices starting from 0; negative indices of the input count from the end. On the CPU, first checks
/// whether there are negative indices: the check is cheaper than the operations that convert them.
at::Tensor from_zero(const at::Tensor& indices, std::int64_t size) {
    auto wide = indices.to(at::kLong);
    if (wide.device().is_cpu()) {
        wide = wide.contiguous();
        const auto* data = wide.data_ptr<std::int64_t>();
        if (std::none_of(data, data + wide.numel(), [](std::int64_t i) { return i < 0; })) return wide;
    }
    return at::where(at::lt(wide, 0), at::add(wide, size), wide);
}

Kernel gather(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto given_axis = node.integer("axis", 0);
    return [=, list = node.constant_integers(1)](const RunContext&, const Tensors& x) {
        const auto axis = positive_axis(given_axis, x[0].dim());
        if (list && x[1].dim() == 0) return one(at::select(x[0], axis, list->at(0)));
        const auto indices = from_zero(x[1], x[0].size(axis));
        if (axis == 0 && x[0].dim() == 2) return one(at::embedding(x[0], indices));
        const auto rows = at::index_select(x[0], axis, indices.reshape({-1}));
        if (indices.dim() == 1) return one(rows);
        Ints shape = x[0].sizes().vec();
        shape.erase(shape.begin() + axis);
        shape.insert(shape.begin() + axis, indices.sizes().begin(), indices.sizes().end());
        return one(rows.reshape(shape));
    };
}

Kernel gather_elements(const graph::Graph& g, const graph::Node& n) {
    const auto axis = NodeReader(g, n).integer("axis", 0);
    return [axis](const RunContext&, const Tensors& x) {
        return one(at::gather(x[0], axis, from_zero(x[1], x[0].size(axis))));
    };
}

/// Converts index tuples (last axis of `indices`) over the axes of `sizes` to positions in the flattened axes.
at::Tensor flat_positions(const at::Tensor& indices, at::IntArrayRef sizes) {
    auto position = at::zeros(indices.sizes().slice(0, static_cast<std::size_t>(indices.dim() - 1)),
                              indices.options().dtype(at::kLong));
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        const auto coordinate = from_zero(at::select(indices, -1, static_cast<std::int64_t>(axis)), sizes[axis]);
        position = at::add(at::mul(position, sizes[axis]), coordinate);
    }
    return position;
}

std::int64_t product(at::IntArrayRef sizes) {
    std::int64_t result = 1;
    for (const auto size : sizes) result *= size;
    return result;
}

Kernel gather_tuples(const graph::Graph& g, const graph::Node& n) {
    const auto batch = static_cast<std::size_t>(NodeReader(g, n).integer("batch_dims", 0));
    return [batch](const RunContext&, const Tensors& x) {
        const auto sizes = x[0].sizes();
        const auto depth = static_cast<std::size_t>(x[1].size(-1));
        const auto inner = sizes.slice(batch, depth), rest = sizes.slice(batch + depth);
        const auto batches = product(sizes.slice(0, batch));
        // The rows of all batches are consecutive.
        auto position = flat_positions(x[1], inner).reshape({batches, -1});
        const auto first = at::mul(at::arange(batches, position.options()), product(inner)).unsqueeze(1);
        Ints table{batches * product(inner)};
        table.insert(table.end(), rest.begin(), rest.end());
        const auto rows = at::index_select(x[0].reshape(table), 0, at::add(position, first).reshape({-1}));
        Ints shape = x[1].sizes().slice(0, static_cast<std::size_t>(x[1].dim() - 1)).vec();
        shape.insert(shape.end(), rest.begin(), rest.end());
        return one(rows.reshape(shape));
    };
}

/// Returns LibTorch's name of the reduction; empty for plain replacement.
std::string reduction_name(const NodeReader& node) {
    const auto text = node.text("reduction", "none");
    if (text == "add") return "sum";
    if (text == "mul") return "prod";
    if (text == "max") return "amax";
    if (text == "min") return "amin";
    return "";
}

Kernel scatter_elements(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto axis = node.integer("axis", 0);
    return [axis, reduction = reduction_name(node)](const RunContext&, const Tensors& x) {
        const auto indices = from_zero(x[1], x[0].size(axis));
        if (reduction.empty()) return one(at::scatter(x[0], axis, indices, x[2]));
        if (reduction == "sum") return one(at::scatter_add(x[0], axis, indices, x[2]));
        return one(at::scatter_reduce(x[0], axis, indices, x[2], reduction));
    };
}

Kernel scatter_tuples(const graph::Graph& g, const graph::Node& n) {
    return [reduction = reduction_name(NodeReader(g, n))](const RunContext&, const Tensors& x) {
        const auto sizes = x[0].sizes();
        const auto depth = static_cast<std::size_t>(x[1].size(-1));
        const auto width = product(sizes.slice(depth));
        const auto table = x[0].reshape({product(sizes.slice(0, depth)), width});
        const auto rows = flat_positions(x[1], sizes.slice(0, depth)).reshape({-1, 1}).expand({-1, width});
        const auto updates = x[2].reshape({rows.size(0), width});
        at::Tensor result;
        if (reduction.empty()) result = at::scatter(table, 0, rows, updates);
        else if (reduction == "sum") result = at::scatter_add(table, 0, rows, updates);
        else result = at::scatter_reduce(table, 0, rows, updates, reduction);
        return one(result.reshape(sizes));
    };
}

Kernel compress(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool flat = !node.has("axis");
    return [flat, axis = node.integer("axis", 0)](const RunContext&, const Tensors& x) {
        return one(at::index_select(flat ? x[0].reshape({-1}) : x[0], axis, at::nonzero(x[1]).reshape({-1})));
    };
}

Kernel non_zero(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) {
        // A scalar counts as a vector of one element.
        return one(at::nonzero(x[0].dim() == 0 ? x[0].reshape({1}) : x[0]).t().contiguous());
    };
}

Kernel one_hot(const graph::Graph& g, const graph::Node& n) {
    const auto axis = NodeReader(g, n).integer("axis", -1);
    return [axis](const RunContext&, const Tensors& x) {
        const auto depth = to_integers(x[1]).at(0);
        const auto indices = from_zero(x[0], depth);
        const auto classes = at::arange(depth, indices.options());
        const auto at_axis = positive_axis(axis, indices.dim() + 1);
        Ints shape(static_cast<std::size_t>(indices.dim() + 1), 1);
        shape[static_cast<std::size_t>(at_axis)] = depth;
        const auto hot = at::eq(indices.unsqueeze(at_axis), classes.reshape(shape));
        return one(at::where(hot, at::select(x[2], 0, 1), at::select(x[2], 0, 0)));
    };
}

}  // namespace

void add_gather_kernels(KernelTable& table) {
    table[":Compress"] = compress;
    table[":Gather"] = gather;
    table[":GatherElements"] = gather_elements;
    table[":GatherND"] = gather_tuples;
    table[":NonZero"] = non_zero;
    table[":OneHot"] = one_hot;
    table[":Scatter"] = scatter_elements;
    table[":ScatterElements"] = scatter_elements;
    table[":ScatterND"] = scatter_tuples;
}

}  // namespace divisi::segment
