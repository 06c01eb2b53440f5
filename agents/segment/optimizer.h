// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "agents/segment/weights.h"

namespace divisi::segment {

/// Updates weights in place by their gradients; holds the optimizer's state.
///
/// SGD (as PyTorch's, no dampening, no Nesterov), with g the gradient and t = 1, 2, ... the step:
///   g += weight_decay * w;  b = g at t = 1, else momentum * b + g;  w -= lr * b
/// AdamW (Loshchilov and Hutter, arXiv 1711.05101; PyTorch's order of operations):
///   w *= 1 - lr * weight_decay;  m = beta1 * m + (1 - beta1) * g;  v = beta2 * v + (1 - beta2) * g * g
///   w -= lr / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)
/// Clipping scales every gradient by min(1, clip / (norm + 1e-6)), norm over all segments' weights.
class Optimizer {
public:
    struct State {
        at::Tensor first, second;  ///< state of the weight; sgd: momentum in `first`; adamw: the means m and v
    };
    using States = std::map<std::int32_t, State>;  ///< states by initializer
    /// One tensor of a state, and its name in StateTensor::slot.
    struct Slot {
        const char* name;
        at::Tensor State::*tensor;
    };

    explicit Optimizer(const OptimizerConfig& config) : config_(config) {}

    /// Updates every weight that has a gradient; may overwrite the gradients. `step` is t.
    void apply(std::vector<Weight>& weights, std::int64_t step, double lr, double gradient_scale);
    std::int64_t state_bytes() const;

    /// Returns the slots of a state in this configuration.
    std::vector<Slot> slots() const;
    /// Returns the states of the weights updated so far.
    const States& states() const { return states_; }
    /// Replaces the states; a slot without a tensor starts as before the first step.
    void replace(States states) { states_ = std::move(states); }
    /// Returns a copy of `kept` with the layout that a slot of this weight needs.
    at::Tensor own_slot(const at::Tensor& value, const at::Tensor& kept) const;

private:
    OptimizerConfig config_;
    States states_;

    void sgd(at::Tensor& value, at::Tensor& gradient, State& state, double lr);
    void adamw(at::Tensor& value, at::Tensor& gradient, State& state, std::int64_t step, double lr,
               double gradient_scale);
};

/// Returns min(1, clip / (norm + 1e-6)); 1 without clipping.
double clip_scale(double clip, double squared_norm);
/// Returns the sum of squares in float64, added in an order that depends only on the tensor.
double squared_norm(const at::Tensor& gradient);

}  // namespace divisi::segment
