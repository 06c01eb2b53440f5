// SPDX-License-Identifier: Apache-2.0
// Operators that rearrange a tensor without changing its values.
#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

/// Makes the kernel of Reshape. A 0 in the shape stands for the input's size of that axis, unless allowzero is set.
Kernel reshape(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool allow_zero = node.flag("allowzero");
    return [=, list = IntegerList(node, "shape", 1)](const RunContext&, const Tensors& x) {
        auto shape = list.at(x).value();
        for (std::size_t axis = 0; axis < shape.size() && !allow_zero; ++axis)
            if (shape[axis] == 0) shape[axis] = x[0].size(static_cast<std::int64_t>(axis));
        return one(at::reshape(x[0], shape));
    };
}

Kernel flatten(const graph::Graph& g, const graph::Node& n) {
    const auto axis = NodeReader(g, n).integer("axis", 1);
    return [axis](const RunContext&, const Tensors& x) {
        const auto sizes = x[0].sizes();
        const auto first = static_cast<std::size_t>(axis < 0 ? axis + x[0].dim() : axis);
        std::int64_t rows = 1, columns = 1;
        for (std::size_t i = 0; i < sizes.size(); ++i) (i < first ? rows : columns) *= sizes[i];
        return one(at::reshape(x[0], {rows, columns}));
    };
}

Kernel transpose(const graph::Graph& g, const graph::Node& n) {
    auto order = NodeReader(g, n).integers("perm");
    return [order](const RunContext&, const Tensors& x) {
        if (order) return one(at::permute(x[0], *order));
        Ints reversed(static_cast<std::size_t>(x[0].dim()));
        std::iota(reversed.rbegin(), reversed.rend(), 0);
        return one(at::permute(x[0], reversed));
    };
}

Kernel squeeze(const graph::Graph& g, const graph::Node& n) {
    return [list = IntegerList(NodeReader(g, n), "axes", 1)](const RunContext&, const Tensors& x) {
        const auto axes = list.at(x);
        if (!axes) return one(at::squeeze(x[0]));
        std::vector<bool> dropped(static_cast<std::size_t>(x[0].dim()), false);
        for (const auto axis : *axes) dropped[static_cast<std::size_t>(positive_axis(axis, x[0].dim()))] = true;
        Ints shape;
        for (std::size_t axis = 0; axis < dropped.size(); ++axis)
            if (!dropped[axis]) shape.push_back(x[0].size(static_cast<std::int64_t>(axis)));
        return one(at::reshape(x[0], shape));
    };
}

Kernel unsqueeze(const graph::Graph& g, const graph::Node& n) {
    return [list = IntegerList(NodeReader(g, n), "axes", 1)](const RunContext&, const Tensors& x) {
        const auto axes = list.at(x).value();
        const auto rank = x[0].dim() + static_cast<std::int64_t>(axes.size());
        std::vector<bool> added(static_cast<std::size_t>(rank), false);
        for (const auto axis : axes) added[static_cast<std::size_t>(positive_axis(axis, rank))] = true;
        Ints shape;
        std::int64_t next = 0;
        for (const bool fresh : added) shape.push_back(fresh ? 1 : x[0].size(next++));
        return one(at::reshape(x[0], shape));
    };
}

/// Broadcasts in both directions: a size of 1 in the requested shape keeps the input's size.
Kernel expand(const graph::Graph& g, const graph::Node& n) {
    return [list = IntegerList(NodeReader(g, n), "shape", 1)](const RunContext&, const Tensors& x) {
        auto shape = list.at(x).value();
        const auto sizes = x[0].sizes();
        if (shape.size() < sizes.size()) shape.insert(shape.begin(), sizes.size() - shape.size(), 1);
        const std::size_t offset = shape.size() - sizes.size();
        for (std::size_t axis = 0; axis < sizes.size(); ++axis)
            if (shape[axis + offset] == 1) shape[axis + offset] = sizes[axis];
        return one(x[0].expand(shape));
    };
}

Kernel tile(const graph::Graph& g, const graph::Node& n) {
    return [list = IntegerList(NodeReader(g, n), "repeats", 1)](const RunContext&, const Tensors& x) {
        return one(x[0].repeat(list.at(x).value()));
    };
}

Kernel concat(const graph::Graph& g, const graph::Node& n) {
    const auto axis = NodeReader(g, n).integer("axis", 1);
    return [axis](const RunContext&, const Tensors& x) {
        // at::cat skips tensors of shape {0}, whatever the rank of the other tensors, so return a single tensor without
        // at::cat.
        return one(x.size() == 1 ? x[0] : at::cat(x, axis));
    };
}

/// Sizes are an attribute up to operator set 12, an input afterwards. Without sizes, the parts are equal, or the last
/// part is smaller.
Kernel split(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto axis = node.integer("axis", 0);
    const auto parts = static_cast<std::int64_t>(n.outputs.size());
    return [=, list = IntegerList(node, "split", 1)](const RunContext&, const Tensors& x) {
        if (const auto sizes = list.at(x)) return at::split_with_sizes(x[0], *sizes, axis);
        const auto total = x[0].size(axis);
        const auto each = (total + parts - 1) / parts;
        Ints sizes(static_cast<std::size_t>(parts), each);
        for (std::int64_t i = 0, left = total; i < parts; ++i, left -= each)
            sizes[static_cast<std::size_t>(i)] = std::clamp<std::int64_t>(left, 0, each);
        return at::split_with_sizes(x[0], sizes, axis);
    };
}

/// Slices one axis. A negative step goes backwards, which LibTorch's slices do not support.
at::Tensor slice_axis(const at::Tensor& x, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step) {
    const auto size = x.size(axis);
    if (start < 0) start += size;
    if (end < 0) end += size;
    if (step > 0) {
        const auto inside = [size](std::int64_t position) { return std::clamp<std::int64_t>(position, 0, size); };
        return at::slice(x, axis, inside(start), inside(end), step);
    }
    if (step == 0) throw std::invalid_argument("a slice with step 0");
    start = std::clamp<std::int64_t>(start, -1, size - 1);
    end = std::clamp<std::int64_t>(end, -1, size - 1);
    const auto count = start > end ? (start - end - step - 1) / -step : 0;
    const auto options = at::TensorOptions(x.device()).dtype(at::kLong);
    const auto positions = at::rsub(at::mul(at::arange(count, options), -step), start);
    return at::index_select(x, axis, positions);
}

Kernel slice(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    return [starts = IntegerList(node, "starts", 1), ends = IntegerList(node, "ends", 2),
            axes = IntegerList(node, "axes", 3),
            steps = IntegerList(node, "steps", 4)](const RunContext&, const Tensors& x) {
        const auto first = starts.at(x).value(), last = ends.at(x).value();
        const auto along = axes.at(x), by = steps.at(x);
        auto result = x[0];
        for (std::size_t i = 0; i < first.size(); ++i) {
            const auto axis = positive_axis(along ? along->at(i) : static_cast<std::int64_t>(i), result.dim());
            auto end = last.at(i);
            const auto step = by ? by->at(i) : 1;
            // If the step is negative, an end below the first position means that the slice includes the first element.
            if (step < 0 && end < -result.size(axis)) end = -result.size(axis) - 1;
            result = slice_axis(result, axis, first[i], end, step);
        }
        return one(std::move(result));
    };
}

Kernel depth_to_space(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto block = node.integer("blocksize", 1);
    const bool columns_first = node.text("mode", "DCR") == "CRD";
    return [=](const RunContext&, const Tensors& x) {
        const auto b = x[0].size(0), c = x[0].size(1) / (block * block), h = x[0].size(2), w = x[0].size(3);
        const auto parts = columns_first
                               ? at::permute(at::reshape(x[0], {b, c, block, block, h, w}), {0, 1, 4, 2, 5, 3})
                               : at::permute(at::reshape(x[0], {b, block, block, c, h, w}), {0, 3, 4, 1, 5, 2});
        return one(at::reshape(parts, {b, c, h * block, w * block}));
    };
}

Kernel space_to_depth(const graph::Graph& g, const graph::Node& n) {
    const auto block = NodeReader(g, n).integer("blocksize", 1);
    return [block](const RunContext&, const Tensors& x) {
        const auto b = x[0].size(0), c = x[0].size(1), h = x[0].size(2) / block, w = x[0].size(3) / block;
        const auto parts = at::permute(at::reshape(x[0], {b, c, h, block, w, block}), {0, 3, 5, 1, 2, 4});
        return one(at::reshape(parts, {b, c * block * block, h, w}));
    };
}

/// Reverses the first sequence_lens[b] entries of each batch row along the time axis.
Kernel reverse_sequence(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto batch_axis = node.integer("batch_axis", 1), time_axis = node.integer("time_axis", 0);
    return [=](const RunContext&, const Tensors& x) {
        const auto steps = x[0].size(time_axis);
        Ints time_shape(static_cast<std::size_t>(x[0].dim()), 1), batch_shape = time_shape;
        time_shape[static_cast<std::size_t>(time_axis)] = steps;
        batch_shape[static_cast<std::size_t>(batch_axis)] = x[0].size(batch_axis);
        const auto time = at::arange(steps, x[1].options()).reshape(time_shape);
        const auto lengths = x[1].reshape(batch_shape);
        const auto source = at::where(at::lt(time, lengths), at::sub(at::sub(lengths, time), 1), time);
        return one(at::gather(x[0], time_axis, source.to(at::kLong).expand(x[0].sizes())));
    };
}

Kernel trilu(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool upper = node.flag("upper", true);
    return [upper, list = IntegerList(node, "k", 1)](const RunContext&, const Tensors& x) {
        const auto given = list.at(x);
        const auto k = given && !given->empty() ? given->at(0) : 0;
        return one(upper ? at::triu(x[0], k) : at::tril(x[0], k));
    };
}

/// Returns the sizes from axis `start` up to `end`.
Kernel shape(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto start = node.integer("start", 0);
    const auto end = node.integer("end", std::numeric_limits<std::int64_t>::max());
    return [=](const RunContext& context, const Tensors& x) {
        const auto rank = x[0].dim();
        const auto position = [rank](std::int64_t axis) {
            return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
        };
        const auto from = position(start), to = std::max(from, position(end));
        const auto sizes = x[0].sizes().slice(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from));
        return one(at::tensor(sizes, at::kLong).to(context.device));
    };
}

Kernel size(const graph::Graph&, const graph::Node&) {
    return [](const RunContext& context, const Tensors& x) {
        return one(at::scalar_tensor(x[0].numel(), at::TensorOptions(context.device).dtype(at::kLong)));
    };
}

}  // namespace

void add_shape_kernels(KernelTable& table) {
    table[":Concat"] = concat;
    table[":DepthToSpace"] = depth_to_space;
    table[":Expand"] = expand;
    table[":Flatten"] = flatten;
    table[":Reshape"] = reshape;
    table[":ReverseSequence"] = reverse_sequence;
    table[":Shape"] = shape;
    table[":Size"] = size;
    table[":Slice"] = slice;
    table[":SpaceToDepth"] = space_to_depth;
    table[":Split"] = split;
    table[":Squeeze"] = squeeze;
    table[":Tile"] = tile;
    table[":Transpose"] = transpose;
    table[":Trilu"] = trilu;
    table[":Unsqueeze"] = unsqueeze;
}

}  // namespace divisi::segment
