// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

/// The sliding window of convolution and pooling, as given by the node's attributes.
struct Window {
    explicit Window(const NodeReader& node);

    /// Elements to add before and after each spatial axis of `x`, for the window's spatial sizes `kernel`.
    struct Padding {
        Ints before, after;
        bool symmetric() const { return before == after; }
    };
    Padding padding(const at::Tensor& x, at::IntArrayRef kernel) const;

    std::int64_t stride(std::size_t axis) const { return axis < strides.size() ? strides[axis] : 1; }
    std::int64_t dilation(std::size_t axis) const { return axis < dilations.size() ? dilations[axis] : 1; }
    /// The functions below return one entry per axis.
    Ints all_strides(std::size_t rank) const;
    Ints all_dilations(std::size_t rank) const;

    Ints kernel, strides, dilations, pads;  ///< empty if the attribute is absent
    std::string auto_pad;
    bool ceil_mode = false;
};

/// Returns the padding in LibTorch's order: last axis first, before and after.
Ints torch_padding(const Window::Padding& padding);

}  // namespace divisi::segment
