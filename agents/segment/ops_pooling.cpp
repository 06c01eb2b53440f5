// SPDX-License-Identifier: Apache-2.0
// Pooling over windows and over whole planes.
#include <ATen/ATen.h>

#include <limits>
#include <numeric>

#include "agents/segment/window.h"

namespace divisi::segment {

namespace {

Ints spatial_axes(const at::Tensor& x) {
    Ints axes(static_cast<std::size_t>(x.dim() - 2));
    std::iota(axes.begin(), axes.end(), 2);
    return axes;
}

bool all_ones(const Ints& values) {
    for (const auto value : values)
        if (value != 1) return false;
    return true;
}

/// Returns whether LibTorch supports the padding: equal on both sides and at most half a window.
bool natively_padded(const Window::Padding& padding, const Ints& kernel) {
    if (!padding.symmetric()) return false;
    for (std::size_t axis = 0; axis < kernel.size(); ++axis)
        if (padding.before[axis] < 0 || 2 * padding.before[axis] > kernel[axis]) return false;
    return true;
}

/// Returns the number of elements to append to each axis so that the last, incomplete window of ceil_mode fits. A
/// window that would start in the padding after the input is left out.
Ints ceil_growth(const Window& window, const at::Tensor& x, const Window::Padding& padding) {
    Ints growth(window.kernel.size(), 0);
    if (!window.ceil_mode) return growth;
    for (std::size_t axis = 0; axis < growth.size(); ++axis) {
        const auto size = x.size(static_cast<std::int64_t>(axis) + 2);
        const auto reach = (window.kernel[axis] - 1) * window.dilation(axis) + 1;
        const auto padded = size + padding.before[axis] + padding.after[axis];
        const auto stride = window.stride(axis);
        auto count = (padded - reach + stride - 1) / stride + 1;
        if ((count - 1) * stride >= size + padding.before[axis]) --count;
        growth[axis] = std::max<std::int64_t>((count - 1) * stride + reach - padded, 0);
    }
    return growth;
}

/// Returns the sum in each window: a convolution with ones, channel by channel.
at::Tensor window_sum(const at::Tensor& padded, const Window& window) {
    const auto rank = window.kernel.size();
    Ints planes{padded.size(0) * padded.size(1), 1}, ones{1, 1};
    for (std::size_t axis = 0; axis < rank; ++axis) {
        planes.push_back(padded.size(static_cast<std::int64_t>(axis) + 2));
        ones.push_back(window.kernel[axis]);
    }
    const Ints none(rank, 0);
    auto sums = at::convolution(padded.reshape(planes), at::ones(ones, padded.options()), {}, window.all_strides(rank),
                                none, window.all_dilations(rank), false, none, 1);
    Ints shape = sums.sizes().vec();
    shape[0] = padded.size(0);
    shape[1] = padded.size(1);
    return sums.reshape(shape);
}

at::Tensor grow(const at::Tensor& x, const Window::Padding& padding, double value) {
    return at::constant_pad_nd(x, torch_padding(padding), value);
}

at::Tensor general_average(const at::Tensor& x, const Window& window, bool count_padding) {
    const auto padding = window.padding(x, window.kernel);
    const Window::Padding tail{Ints(window.kernel.size(), 0), ceil_growth(window, x, padding)};
    const auto sums = window_sum(grow(grow(x, padding, 0), tail, 0), window);
    Ints plane = x.sizes().vec();
    plane[0] = plane[1] = 1;
    const auto ones = at::ones(plane, at::TensorOptions(x.device()).dtype(x.scalar_type()));
    const auto counted = grow(grow(ones, padding, count_padding ? 1 : 0), tail, 0);
    return at::div(sums, window_sum(counted, window));
}

Kernel average_pool(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool count_padding = node.flag("count_include_pad");
    return [count_padding, window = Window(node)](const RunContext&, const Tensors& x) {
        const auto& kernel = window.kernel;
        const auto padding = window.padding(x[0], kernel);
        if (!natively_padded(padding, kernel) || !all_ones(window.dilations) || kernel.size() > 3)
            return one(general_average(x[0], window, count_padding));
        const auto strides = window.all_strides(kernel.size());
        const auto pool =
            kernel.size() == 3   ? [](const at::Tensor& t, at::IntArrayRef k, at::IntArrayRef s, at::IntArrayRef p,
                                    bool ceil, bool count) { return at::avg_pool3d(t, k, s, p, ceil, count); }
            : kernel.size() == 2 ? [](const at::Tensor& t, at::IntArrayRef k, at::IntArrayRef s, at::IntArrayRef p,
                                      bool ceil, bool count) { return at::avg_pool2d(t, k, s, p, ceil, count); }
                                 : [](const at::Tensor& t, at::IntArrayRef k, at::IntArrayRef s, at::IntArrayRef p,
                                      bool ceil, bool count) { return at::avg_pool1d(t, k, s, p, ceil, count); };
        return one(pool(x[0], kernel, strides, padding.before, window.ceil_mode, count_padding));
    };
}

/// Computes (sum of |x|^p in the window)^(1/p).
Kernel lp_pool(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto p = node.integer("p", 2);
    return [p, window = Window(node)](const RunContext&, const Tensors& x) {
        const auto padding = window.padding(x[0], window.kernel);
        const Window::Padding tail{Ints(window.kernel.size(), 0), ceil_growth(window, x[0], padding)};
        const auto powers = at::pow(at::abs(x[0]), p);
        const auto sums = window_sum(grow(grow(powers, padding, 0), tail, 0), window);
        return one(at::pow(sums, 1.0 / static_cast<double>(p)));
    };
}

struct Pooled {
    at::Tensor values, indices;
};

/// Returns the values and their positions in the (padded) plane.
Pooled native_max(const at::Tensor& x, const Window& window, const Ints& padding, bool ceil_mode) {
    const auto& kernel = window.kernel;
    auto strides = window.all_strides(kernel.size()), dilations = window.all_dilations(kernel.size());
    if (kernel.size() == 3) {
        auto [values, indices] = at::max_pool3d_with_indices(x, kernel, strides, padding, dilations, ceil_mode);
        return {values, indices};
    }
    if (kernel.size() == 2) {
        auto [values, indices] = at::max_pool2d_with_indices(x, kernel, strides, padding, dilations, ceil_mode);
        return {values, indices};
    }
    auto [values, indices] = at::max_pool2d_with_indices(x.unsqueeze(2), {1, kernel[0]}, {1, strides[0]},
                                                         {0, padding[0]}, {1, dilations[0]}, ceil_mode);
    return {values.squeeze(2), indices.squeeze(2)};
}

/// Converts positions in a plane of `from` (enlarged by `before`) to positions in the whole tensor x. The order is
/// row-major, or column-major for the spatial axes.
at::Tensor whole_positions(at::Tensor indices, const at::Tensor& x, const Ints& from, const Ints& before,
                           bool column_major) {
    const auto rank = from.size();
    const auto sizes = x.sizes().slice(2);
    std::vector<at::Tensor> coordinates(rank);
    for (std::size_t axis = rank; axis-- > 0;) {
        coordinates[axis] = at::sub(at::remainder(indices, from[axis]), before[axis]);
        indices = at::div(indices, from[axis], "floor");
    }
    auto position = at::zeros_like(coordinates[0]);
    for (std::size_t i = 0; i < rank; ++i) {
        const auto axis = column_major ? rank - 1 - i : i;
        position = at::add(at::mul(position, sizes[axis]), coordinates[axis]);
    }
    std::int64_t plane = 1;
    for (const auto size : sizes) plane *= size;
    Ints shape(rank + 2, 1);
    shape[0] = x.size(0);
    shape[1] = x.size(1);
    const auto planes = at::arange(x.size(0) * x.size(1), indices.options()).reshape(shape);
    return at::add(position, at::mul(planes, plane));
}

Kernel max_pool(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool wants_indices = node.has_output(1);
    const bool column_major = node.flag("storage_order");
    return [=, window = Window(node)](const RunContext&, const Tensors& x) {
        const auto type = x[0].scalar_type();
        const bool floating = at::isFloatingType(type);
        const auto input = floating ? x[0] : x[0].to(at::kFloat);  // float represents 8-bit numbers exactly
        auto padding = window.padding(input, window.kernel);
        Ints before(window.kernel.size(), 0);
        Ints from = input.sizes().slice(2).vec();
        Pooled pooled;
        if (natively_padded(padding, window.kernel)) {
            pooled = native_max(input, window, padding.before, window.ceil_mode);
        } else {
            before = padding.before;
            const auto growth = ceil_growth(window, input, padding);
            for (std::size_t axis = 0; axis < growth.size(); ++axis) padding.after[axis] += growth[axis];
            const auto padded = grow(input, padding, -std::numeric_limits<double>::infinity());
            from = padded.sizes().slice(2).vec();
            pooled = native_max(padded, window, Ints(before.size(), 0), false);
        }
        auto values = floating ? pooled.values : pooled.values.to(type);
        if (!wants_indices) return one(std::move(values));
        return Tensors{values, whole_positions(pooled.indices, x[0], from, before, column_major)};
    };
}

/// Writes values to the positions from which MaxPool took them; all other elements are zero.
Kernel max_unpool(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    return [window = Window(node)](const RunContext&, const Tensors& x) {
        const auto padding = window.padding(x[0], window.kernel);
        Ints natural = x[0].sizes().vec();
        for (std::size_t axis = 0; axis < window.kernel.size(); ++axis)
            natural[axis + 2] = (natural[axis + 2] - 1) * window.stride(axis) + window.kernel[axis] -
                                padding.before[axis] - padding.after[axis];
        const auto& wanted = optional_input(x, 2);
        const auto shape = wanted.defined() ? to_integers(wanted) : natural;
        // Positions refer to the output shape computed from kernel and strides. If a larger output is requested, each
        // plane is placed in its corner.
        std::int64_t natural_count = 1;
        for (const auto size : natural) natural_count *= size;
        auto flat = at::zeros({natural_count}, x[0].options()).scatter(0, x[1].reshape({-1}), x[0].reshape({-1}));
        auto result = flat.reshape(natural);
        Window::Padding growth{Ints(natural.size(), 0), Ints(natural.size(), 0)};
        for (std::size_t axis = 0; axis < natural.size(); ++axis) growth.after[axis] = shape[axis] - natural[axis];
        return one(shape == natural ? result : grow(result, growth, 0));
    };
}

Kernel global_average_pool(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) { return one(at::mean(x[0], spatial_axes(x[0]), true)); };
}

Kernel global_max_pool(const graph::Graph&, const graph::Node&) {
    return [](const RunContext&, const Tensors& x) { return one(at::amax(x[0], spatial_axes(x[0]), true)); };
}

Kernel global_lp_pool(const graph::Graph& g, const graph::Node& n) {
    const auto p = NodeReader(g, n).integer("p", 2);
    return [p](const RunContext&, const Tensors& x) { return one(at::norm(x[0], p, spatial_axes(x[0]), true)); };
}

}  // namespace

void add_pooling_kernels(KernelTable& table) {
    table[":AveragePool"] = average_pool;
    table[":GlobalAveragePool"] = global_average_pool;
    table[":GlobalLpPool"] = global_lp_pool;
    table[":GlobalMaxPool"] = global_max_pool;
    table[":LpPool"] = lp_pool;
    table[":MaxPool"] = max_pool;
    table[":MaxUnpool"] = max_unpool;
}

}  // namespace divisi::segment
