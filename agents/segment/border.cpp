// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/border.h"

#include <torch/csrc/autograd/functions/utils.h>

namespace divisi::segment {

namespace {

class DenseGradient : public torch::autograd::Node {
public:
    torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
        auto& gradient = gradients.front();
        if (gradient.defined() && !gradient.is_non_overlapping_and_dense()) gradient = gradient.contiguous();
        return std::move(gradients);
    }
    std::string name() const override { return "divisi::segment::DenseGradient"; }
};

class OwnUse : public torch::autograd::Node {
public:
    torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
        return std::move(gradients);
    }
    std::string name() const override { return "divisi::segment::OwnUse"; }
};

at::Tensor continue_history(const at::Tensor& value, const std::shared_ptr<torch::autograd::Node>& node) {
    return value.requires_grad() ? behind_node(value, node) : value;
}

}  // namespace

at::Tensor behind_node(const at::Tensor& value, const std::shared_ptr<torch::autograd::Node>& node) {
    if (value.requires_grad()) node->set_next_edges(torch::autograd::collect_next_edges(value));
    auto result = value.detach();
    torch::autograd::set_history(result, node);
    return result;
}

BorderValue make_border(const at::Tensor& value) {
    BorderValue result{value.detach(), std::make_shared<Border>()};
    torch::autograd::set_history(result.tensor, result.border);
    return result;
}

at::Tensor with_dense_gradient(const at::Tensor& value) {
    return continue_history(value, std::make_shared<DenseGradient>());
}

at::Tensor as_own_use(const at::Tensor& value) { return continue_history(value, std::make_shared<OwnUse>()); }

}  // namespace divisi::segment
