// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

#include "agents/segment/weights.h"

namespace divisi::segment {

/// Moves weights along their gradients, in place; holds the state that this takes.
///
/// SGD (as PyTorch's, no dampening, no Nesterov), with g the gradient and t = 1, 2, ... the step:
///   g += weight_decay * w;  b = g at t = 1, else momentum * b + g;  w -= lr * b
/// AdamW (Loshchilov and Hutter, arXiv 1711.05101; PyTorch's order of operations):
///   w *= 1 - lr * weight_decay;  m = beta1 * m + (1 - beta1) * g;  v = beta2 * v + (1 - beta2) * g * g
///   w -= lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
/// Clipping scales every gradient by min(1, clip / (norm + 1e-6)), norm over all segments' weights.
class Optimizer {
public:
    explicit Optimizer(const OptimizerConfig& config) : config_(config) {}

    /// Moves every weight that has a gradient; gradients are scratch space afterwards. `step` is t.
    void apply(std::vector<Weight>& weights, std::int64_t step, double lr, double gradient_scale);
    std::int64_t state_bytes() const;

private:
    struct State {
        at::Tensor first, second;  ///< sgd: momentum in `first`; adamw: m and v
    };
    OptimizerConfig config_;
    std::map<std::int32_t, State> states_;  ///< by initializer

    void sgd(at::Tensor& value, at::Tensor& gradient, State& state, double lr);
    void adamw(at::Tensor& value, at::Tensor& gradient, State& state, std::int64_t step, double lr,
               double gradient_scale);
};

/// min(1, clip / (norm + 1e-6)); 1 without clipping.
double clip_scale(double clip, double squared_norm);
/// Sum of squares in float64, in an order that depends on the tensor alone.
double squared_norm(const at::Tensor& gradient);

}  // namespace divisi::segment
