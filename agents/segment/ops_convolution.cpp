// SPDX-License-Identifier: Apache-2.0
// Convolution and its transpose.
#include <ATen/ATen.h>

#include <algorithm>

#include "agents/segment/window.h"

namespace divisi::segment {

Window::Window(const NodeReader& node)
    : kernel(node.integers("kernel_shape").value_or(Ints{})),
      strides(node.integers("strides").value_or(Ints{})),
      dilations(node.integers("dilations").value_or(Ints{})),
      pads(node.integers("pads").value_or(Ints{})),
      auto_pad(node.text("auto_pad", "NOTSET")),
      ceil_mode(node.flag("ceil_mode")) {}

Ints Window::all_strides(std::size_t rank) const { return strides.empty() ? Ints(rank, 1) : strides; }
Ints Window::all_dilations(std::size_t rank) const { return dilations.empty() ? Ints(rank, 1) : dilations; }

Window::Padding Window::padding(const at::Tensor& x, at::IntArrayRef sizes) const {
    const std::size_t rank = sizes.size();
    Padding result{Ints(rank, 0), Ints(rank, 0)};
    if (auto_pad == "VALID") return result;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (auto_pad != "SAME_UPPER" && auto_pad != "SAME_LOWER") {
            if (pads.empty()) continue;
            result.before[axis] = pads[axis];
            result.after[axis] = pads[axis + rank];
            continue;
        }
        const auto size = x.size(static_cast<std::int64_t>(axis) + 2);
        const auto count = (size + stride(axis) - 1) / stride(axis);
        const auto reach = (count - 1) * stride(axis) + (sizes[axis] - 1) * dilation(axis) + 1;
        const auto total = std::max<std::int64_t>(reach - size, 0);
        result.before[axis] = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
        result.after[axis] = total - result.before[axis];
    }
    return result;
}

Ints torch_padding(const Window::Padding& padding) {
    Ints result;
    for (std::size_t axis = padding.before.size(); axis-- > 0;) {
        result.push_back(padding.before[axis]);
        result.push_back(padding.after[axis]);
    }
    return result;
}

namespace {

Kernel convolution(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto groups = node.integer("group", 1);
    return [groups, window = Window(node)](const RunContext&, const Tensors& x) {
        const auto sizes = x[1].sizes().slice(2);
        const auto strides = window.all_strides(sizes.size()), dilations = window.all_dilations(sizes.size());
        const auto padding = window.padding(x[0], sizes);
        const Ints none(sizes.size(), 0);
        const auto& bias = optional_input(x, 2);
        if (padding.symmetric())
            return one(at::convolution(x[0], x[1], bias, strides, padding.before, dilations, false, none, groups));
        const auto padded = at::constant_pad_nd(x[0], torch_padding(padding), 0);
        return one(at::convolution(padded, x[1], bias, strides, none, dilations, false, none, groups));
    };
}

/// Returns the padding to remove from the full result of a transposed convolution; negative values enlarge the result.
Window::Padding transposed_padding(const Window& window, const at::Tensor& x, at::IntArrayRef sizes,
                                   const Ints& output_shape, const Ints& output_padding) {
    const std::size_t rank = sizes.size();
    const bool same_upper = window.auto_pad == "SAME_UPPER";
    const bool same = same_upper || window.auto_pad == "SAME_LOWER";
    if (output_shape.empty() && !same) return window.padding(x, sizes);
    Window::Padding result{Ints(rank, 0), Ints(rank, 0)};
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const auto size = x.size(static_cast<std::int64_t>(axis) + 2);
        // output_shape may have batch and channels before the spatial sizes.
        const auto wanted =
            output_shape.empty() ? size * window.stride(axis) : output_shape[output_shape.size() - rank + axis];
        const auto full =
            (size - 1) * window.stride(axis) + (sizes[axis] - 1) * window.dilation(axis) + 1 + output_padding[axis];
        const auto total = full - wanted;
        // Missing elements are added at the end, as with output_padding.
        result.before[axis] = std::max<std::int64_t>(same_upper ? total / 2 : total - total / 2, 0);
        result.after[axis] = total - result.before[axis];
    }
    return result;
}

Kernel transposed_convolution(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto groups = node.integer("group", 1);
    const auto shape = node.integers("output_shape").value_or(Ints{});
    const auto extra = node.integers("output_padding").value_or(Ints{});
    return [=, window = Window(node)](const RunContext&, const Tensors& x) {
        const auto sizes = x[1].sizes().slice(2);
        const auto strides = window.all_strides(sizes.size()), dilations = window.all_dilations(sizes.size());
        const Ints output_padding = extra.empty() ? Ints(sizes.size(), 0) : extra;
        auto cut = transposed_padding(window, x[0], sizes, shape, output_padding);
        const auto& bias = optional_input(x, 2);
        const bool plain = cut.symmetric() && *std::min_element(cut.before.begin(), cut.before.end()) >= 0;
        if (plain)
            return one(at::convolution(x[0], x[1], bias, strides, cut.before, dilations, true, output_padding, groups));
        const Ints none(sizes.size(), 0);
        const auto full = at::convolution(x[0], x[1], {}, strides, none, dilations, true, output_padding, groups);
        for (auto& size : cut.before) size = -size;
        for (auto& size : cut.after) size = -size;
        auto result = at::constant_pad_nd(full, torch_padding(cut), 0);
        if (!bias.defined()) return one(std::move(result));
        Ints per_channel(sizes.size() + 1, 1);
        per_channel[0] = bias.numel();
        return one(at::add(result, bias.reshape(per_channel)));
    };
}

}  // namespace

void add_convolution_kernels(KernelTable& table) {
    table[":Conv"] = convolution;
    table[":ConvTranspose"] = transposed_convolution;
}

}  // namespace divisi::segment
