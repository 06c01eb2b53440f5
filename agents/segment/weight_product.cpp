// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/weight_product.h"

#include <ATen/ATen.h>

#include <string>
#include <utility>

#include "agents/segment/torch_compat.h"

namespace divisi::segment {

namespace {

at::Tensor multiply(const at::Tensor& rows, const at::Tensor& matrix, const at::Tensor& bias) {
    return bias.defined() ? at::addmm(bias, rows, matrix) : at::mm(rows, matrix);
}

/// Autograd node of the product. The node passes gradients to rows and bias. The weight is a leaf; the node adds
/// directly to the leaf's gradient sum.
class WeightProduct : public GradientNode {
public:
    WeightProduct(at::Tensor rows, at::Tensor weight, bool transposed)
        : rows_(std::move(rows)), weight_(std::move(weight)), transposed_(transposed) {}

    Gradients apply(Gradients&& gradients) override {
        Gradients results(2);
        const at::Tensor gradient = std::move(gradients.front());
        if (!gradient.defined()) return results;
        if (should_compute_output(0)) results[0] = at::mm(gradient, transposed_ ? weight_ : weight_.t());
        if (should_compute_output(1)) results[1] = at::sum(gradient, {0});
        if (transposed_) add(gradient.t(), rows_);
        else add(rows_.t(), gradient);
        return results;
    }
    void release_variables() override {
        rows_.reset();
        weight_.reset();
    }
    std::string name() const override { return "divisi::segment::WeightProduct"; }

private:
    void add(const at::Tensor& left, const at::Tensor& right) {
        auto& sum = weight_.mutable_grad();
        if (sum.defined()) sum.addmm_(left, right);
        else sum = at::mm(left, right);
    }

    at::Tensor rows_, weight_;
    bool transposed_;
};

}  // namespace

bool is_weight_product(const RunContext& context, const at::Tensor& rows, const at::Tensor& weight) {
    return context.training && context.sums_gradients && weight.dim() == 2 && weight.is_leaf() &&
           weight.requires_grad() && rows.dim() >= 2 && rows.scalar_type() == weight.scalar_type();
}

at::Tensor weight_product(const at::Tensor& rows, const at::Tensor& weight, bool transposed, const at::Tensor& bias) {
    const auto flat = rows.dim() == 2 ? rows : at::reshape(rows, {-1, rows.size(-1)});
    const auto node = make_node<WeightProduct>(flat.detach(), weight, transposed);
    continue_to(*node, flat, bias);
    at::Tensor product;
    {
        const at::NoGradGuard no_grad;
        product = multiply(flat, transposed ? weight.t() : weight, bias);
    }
    set_origin(product, node);
    if (rows.dim() == 2) return product;
    auto sizes = rows.sizes().vec();
    sizes.back() = product.size(-1);
    return product.view(sizes);
}

}  // namespace divisi::segment
