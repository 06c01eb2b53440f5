// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>

#include "agents/segment/torch_compat.h"

namespace divisi::segment {

/// Stands where a segment's autograd graph ends at a value that another segment computed, and catches the
/// gradient that leaves. A leaf tensor would do, but its accumulator rearranges strides to the leaf's own,
/// and the producer's backward would not see the bits that it sees in an unsplit model.
class Border : public GradientNode {
public:
    Gradients apply(Gradients&& gradients) override {
        if (!gradients.empty()) gradient_ = std::move(gradients.front());
        return {};
    }
    std::string name() const override { return "divisi::segment::Border"; }
    /// The gradient of the last backward pass; undefined when none arrived.
    at::Tensor take_gradient() { return std::move(gradient_); }

private:
    at::Tensor gradient_;
};

/// A view of `value` that requires a gradient, caught by the border returned with it.
struct BorderValue {
    at::Tensor tensor;
    NodePointer<Border> border;
};
BorderValue make_border(const at::Tensor& value);

/// The same value behind `node`, which sees its gradient; a value that requires none then requires one that ends there.
at::Tensor behind_node(const at::Tensor& value, const NodePointer<GradientNode>& node);

/// The same value, whose gradient is made contiguous where it has gaps or overlaps (the slice that a Concat
/// hands back, the expanded scalar of a ReduceSum). Such a gradient could not cross a border as it is.
at::Tensor with_dense_gradient(const at::Tensor& value);

/// The same value under a history of its own, so that whatever a kernel does with it adds one term to the
/// value's gradient, at the place of this use.
at::Tensor as_own_use(const at::Tensor& value);

}  // namespace divisi::segment
