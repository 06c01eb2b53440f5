// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/border.h"

namespace divisi::segment {

namespace {

class DenseGradient : public GradientNode {
public:
    Gradients apply(Gradients&& gradients) override {
        auto& gradient = gradients.front();
        if (gradient.defined() && !gradient.is_non_overlapping_and_dense()) gradient = gradient.contiguous();
        return std::move(gradients);
    }
    std::string name() const override { return "divisi::segment::DenseGradient"; }
};

class OwnUse : public GradientNode {
public:
    Gradients apply(Gradients&& gradients) override { return std::move(gradients); }
    std::string name() const override { return "divisi::segment::OwnUse"; }
};

at::Tensor continue_history(const at::Tensor& value, const NodePointer<GradientNode>& node) {
    return value.requires_grad() ? behind_node(value, node) : value;
}

}  // namespace

at::Tensor behind_node(const at::Tensor& value, const NodePointer<GradientNode>& node) {
    if (value.requires_grad()) continue_to(*node, value);
    auto result = value.detach();
    set_origin(result, node);
    return result;
}

BorderValue make_border(const at::Tensor& value) {
    BorderValue result{value.detach(), make_node<Border>()};
    set_origin(result.tensor, result.border);
    return result;
}

at::Tensor with_dense_gradient(const at::Tensor& value) { return continue_history(value, make_node<DenseGradient>()); }

at::Tensor as_own_use(const at::Tensor& value) { return continue_history(value, make_node<OwnUse>()); }

}  // namespace divisi::segment
