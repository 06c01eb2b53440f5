// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

/// The sliding window of convolution and pooling, as its attributes give it.
struct Window {
    explicit Window(const NodeReader& node);

    /// Zeros to add before and after each spatial axis of `x`, for the window's spatial sizes `kernel`.
    struct Padding {
        Ints before, after;
        bool symmetric() const { return before == after; }
    };
    Padding padding(const at::Tensor& x, at::IntArrayRef kernel) const;

    std::int64_t stride(std::size_t axis) const { return axis < strides.size() ? strides[axis] : 1; }
    std::int64_t dilation(std::size_t axis) const { return axis < dilations.size() ? dilations[axis] : 1; }
    /// One entry per axis.
    Ints all_strides(std::size_t rank) const;
    Ints all_dilations(std::size_t rank) const;

    Ints kernel, strides, dilations, pads;  ///< empty where the attribute is absent
    std::string auto_pad;
    bool ceil_mode = false;
};

/// LibTorch's order of padding: last axis first, before and after.
Ints torch_padding(const Window::Padding& padding);

}  // namespace divisi::segment
