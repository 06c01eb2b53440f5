// SPDX-License-Identifier: Apache-2.0
#include "agents/segment/optimizer.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "agents/segment/adamw.h"
#include "agents/segment/tensors.h"

namespace divisi::segment {

namespace {

/// Minimum number of elements for each additional thread.
constexpr std::int64_t elements_a_thread = 32'768;

/// Returns whether the elements are consecutive floats in CPU memory.
bool is_plain(const at::Tensor& value) {
    return value.is_cpu() && value.scalar_type() == at::kFloat && value.is_non_overlapping_and_dense();
}

/// Returns the gradient with its elements in the same memory order as the weight's elements.
at::Tensor in_order_of(const at::Tensor& value, const at::Tensor& gradient) {
    return gradient.strides() == value.strides() ? gradient : at::empty_like(value).copy_(gradient);
}

void adamw_in_one_pass(const AdamwStep& step, at::Tensor& value, const at::Tensor& gradient, at::Tensor& first,
                       at::Tensor& second) {
    const auto ordered = in_order_of(value, gradient);
    auto *w = value.data_ptr<float>(), *m = first.data_ptr<float>(), *v = second.data_ptr<float>();
    const auto* g = ordered.data_ptr<float>();
    at::parallel_for(0, value.numel(), elements_a_thread, [&](std::int64_t begin, std::int64_t end) {
        adamw_elements(step, end - begin, w + begin, g + begin, m + begin, v + begin);
    });
}

}  // namespace

void Optimizer::apply(std::vector<Weight>& weights, std::int64_t step, double lr, double gradient_scale) {
    const at::NoGradGuard no_grad;
    for (auto& weight : weights) {
        if (!weight.trainable || !weight.gradient.defined()) continue;
        auto& state = states_[weight.initializer];
        if (config_.kind == OptimizerConfig::Kind::adamw) {
            adamw(weight.value, weight.gradient, state, step, lr, gradient_scale);
            continue;
        }
        if (gradient_scale != 1.0) weight.gradient.mul_(gradient_scale);
        sgd(weight.value, weight.gradient, state, lr);
    }
}

void Optimizer::sgd(at::Tensor& value, at::Tensor& gradient, State& state, double lr) {
    if (config_.weight_decay != 0.0) gradient.add_(value, config_.weight_decay);
    if (config_.momentum == 0.0) {
        value.add_(gradient, -lr);
        return;
    }
    if (state.first.defined()) state.first.mul_(config_.momentum).add_(gradient);
    else state.first = gradient.clone();
    value.add_(state.first, -lr);
}

void Optimizer::adamw(at::Tensor& value, at::Tensor& gradient, State& state, std::int64_t step, double lr,
                      double gradient_scale) {
    for (at::Tensor* moment : {&state.first, &state.second})
        if (!moment->defined()) *moment = at::zeros_like(value);
    const auto time = static_cast<double>(step);
    const double correction1 = 1.0 - std::pow(config_.beta1, time);
    const double correction2 = 1.0 - std::pow(config_.beta2, time);
    if (is_plain(value)) {
        const auto number = [](double exact) { return static_cast<float>(exact); };
        adamw_in_one_pass({number(gradient_scale), number(1.0 - lr * config_.weight_decay), number(config_.beta1),
                           number(config_.beta2), number(1.0 - config_.beta1), number(1.0 - config_.beta2),
                           number(std::sqrt(correction2)), number(config_.epsilon), number(lr / correction1)},
                          value, gradient, state.first, state.second);
        return;
    }
    if (gradient_scale != 1.0) gradient.mul_(gradient_scale);
    if (config_.weight_decay != 0.0) value.mul_(1.0 - lr * config_.weight_decay);
    state.first.mul_(config_.beta1).add_(gradient, 1.0 - config_.beta1);
    state.second.mul_(config_.beta2).addcmul_(gradient, gradient, 1.0 - config_.beta2);
    const auto denominator = state.second.sqrt().div_(std::sqrt(correction2)).add_(config_.epsilon);
    value.addcdiv_(state.first, denominator, -lr / correction1);
}

std::vector<Optimizer::Slot> Optimizer::slots() const {
    if (config_.kind == OptimizerConfig::Kind::adamw)
        return {{"first_moment", &State::first}, {"second_moment", &State::second}};
    if (config_.momentum == 0.0) return {};
    return {{"momentum", &State::first}};
}

at::Tensor Optimizer::own_slot(const at::Tensor& value, const at::Tensor& kept) const {
    // AdamW's moments have the layout of their weight; a momentum has the layout of the gradients from which it is
    // computed.
    if (config_.kind == OptimizerConfig::Kind::adamw) return at::empty_like(value).copy_(kept);
    return own_copy(kept);
}

std::int64_t Optimizer::state_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& [initializer, state] : states_)
        for (const auto* tensor : {&state.first, &state.second})
            if (tensor->defined()) bytes += static_cast<std::int64_t>(tensor->nbytes());
    return bytes;
}

double clip_scale(double clip, double squared_norm) {
    if (clip <= 0.0) return 1.0;
    const double scale = clip / (std::sqrt(squared_norm) + 1e-6);
    return scale > 1.0 ? 1.0 : scale;  // a norm that is NaN gives a scale that is NaN, as in PyTorch
}

double squared_norm(const at::Tensor& gradient) {
    const auto wide = gradient.detach().to(at::kDouble);
    return wide.square().sum().item<double>();
}

}  // namespace divisi::segment
