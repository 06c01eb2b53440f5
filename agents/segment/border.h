// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>

#include "agents/segment/torch_compat.h"

namespace divisi::segment {

/// Ends a segment's autograd graph at a value that another segment computed, and captures the gradient of that value. A
/// leaf tensor is not used for this, because its accumulator changes the gradient's strides to the leaf's strides. The
/// producer's backward pass would then compute other bits than in an unsplit model.
class Border : public GradientNode {
public:
    Gradients apply(Gradients&& gradients) override {
        if (!gradients.empty()) gradient_ = std::move(gradients.front());
        return {};
    }
    std::string name() const override { return "divisi::segment::Border"; }
    /// Returns the gradient of the last backward pass; undefined if none arrived.
    at::Tensor take_gradient() { return std::move(gradient_); }

private:
    at::Tensor gradient_;
};

/// A view of a value that requires a gradient, and the border that captures the gradient.
struct BorderValue {
    at::Tensor tensor;
    NodePointer<Border> border;
};
BorderValue make_border(const at::Tensor& value);

/// Returns the same value, connected so that `node` receives its gradient. If the value itself requires no gradient,
/// backpropagation ends at `node`.
at::Tensor behind_node(const at::Tensor& value, const NodePointer<GradientNode>& node);

/// Returns the same value, but makes its gradient contiguous if the gradient has gaps or overlaps. Examples are the
/// slice that a Concat returns, and the expanded scalar of a ReduceSum. Such a gradient could not cross a border
/// unchanged.
at::Tensor with_dense_gradient(const at::Tensor& value);

/// Returns the same value with a separate autograd history. A kernel that uses the result then adds a single term to
/// the value's gradient, at the place of this use.
at::Tensor as_own_use(const at::Tensor& value);

}  // namespace divisi::segment
