// SPDX-License-Identifier: Apache-2.0
// Losses and dropout.
#include <ATen/ATen.h>

#include <random>

#include "agents/segment/kernel_tools.h"

namespace divisi::segment {

namespace {

at::Reduction::Reduction reduction_of(const NodeReader& node) {
    const auto text = node.text("reduction", "mean");
    if (text == "none") return at::Reduction::None;
    return text == "sum" ? at::Reduction::Sum : at::Reduction::Mean;
}

/// Returns the class weights, which are not trained.
at::Tensor class_weights(const Tensors& inputs) {
    const auto& weights = optional_input(inputs, 2);
    return weights.defined() ? weights.detach() : weights;
}

/// Value of ignore_index if the node has no such attribute, so that no label is ignored. Any negative number is
/// possible, since labels are not negative.
constexpr std::int64_t ignore_nothing = -100;

Kernel negative_log_likelihood(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto reduction = reduction_of(node);
    const auto ignored = node.integer("ignore_index", ignore_nothing);
    return [=](const RunContext&, const Tensors& x) {
        return one(at::nll_loss_nd(x[0], x[1].to(at::kLong), class_weights(x), reduction, ignored));
    };
}

Kernel cross_entropy(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const auto reduction = reduction_of(node);
    const auto ignored = node.integer("ignore_index", ignore_nothing);
    const bool wants_log = node.has_output(1);
    return [=](const RunContext&, const Tensors& x) {
        auto logs = at::log_softmax(x[0], 1);
        auto loss = at::nll_loss_nd(logs, x[1].to(at::kLong), class_weights(x), reduction, ignored);
        if (!wants_log) return one(std::move(loss));
        return Tensors{loss, logs};
    };
}

/// Returns true for elements to keep. Uses uniform numbers of 53 bits from a Mersenne twister on the CPU, so that every
/// device gets the same mask. With a given seed, the mask equals the mask of ONNX's test cases.
at::Tensor draw_mask(std::uint32_t seed, double ratio, const at::Tensor& like) {
    std::mt19937 generator(seed);
    auto mask = at::empty(like.sizes(), at::TensorOptions(at::kBool));
    auto* kept = mask.data_ptr<bool>();
    constexpr double scale = 1.0 / 9007199254740992.0;  // 2^-53
    for (std::int64_t i = 0; i < mask.numel(); ++i) {
        const double high = generator() >> 5, low = generator() >> 6;
        kept[i] = (high * 67108864.0 + low) * scale >= ratio;
    }
    return mask.to(like.device());
}

/// Drops elements only if the model sets training_mode and this is training. An explicit seed gives the same mask in
/// every run, as the operator defines. Otherwise the mask is keyed by step, micro-batch and node.
Kernel dropout(const graph::Graph& g, const graph::Node& n) {
    const NodeReader node(g, n);
    const bool wants_mask = node.has_output(1);
    const bool by_attribute = node.opset() < 12;
    const bool fixed = node.has("seed");
    const auto given = static_cast<std::uint32_t>(node.integer("seed", 0));
    const auto mode = node.constant_integers(2);
    return [=](const RunContext& context, const Tensors& x) {
        const auto& mode_input = optional_input(x, 2);
        const bool says = mode ? mode->at(0) != 0 : mode_input.defined() && mode_input.item<bool>();
        const auto& ratio_input = optional_input(x, 1);
        const double ratio = ratio_input.defined() ? ratio_input.item<double>() : 0.5;
        if (by_attribute || !says || !context.training || ratio == 0.0) {
            if (!wants_mask) return one(x[0]);
            return Tensors{x[0], at::ones_like(x[0], at::kBool)};
        }
        const auto key = static_cast<std::uint32_t>(context.seed ^ context.seed >> 32);
        auto mask = draw_mask(fixed ? given : key, ratio, x[0]);
        auto result = at::mul(at::mul(x[0], mask), 1.0 / (1.0 - ratio));
        if (!wants_mask) return one(std::move(result));
        return Tensors{result, mask};
    };
}

}  // namespace

void add_loss_kernels(KernelTable& table) {
    table[":Dropout"] = dropout;
    table[":NegativeLogLikelihoodLoss"] = negative_log_likelihood;
    table[":SoftmaxCrossEntropyLoss"] = cross_entropy;
}

}  // namespace divisi::segment
