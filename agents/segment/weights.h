// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

#include "agents/segment/executor.h"

namespace divisi::segment {

/// A node's input that is a trainable weight. Each use is a separate autograd leaf that shares the weight's storage, so
/// that the gradients of different uses are summed separately over micro-batches. The sum over uses then has the same
/// order in every plan, even if the uses are in different segments.
struct WeightUse {
    std::int32_t number = 0;  ///< number in the whole graph, by (node, slot)
    std::int32_t fixed = -1;  ///< position of its leaf in Weights::fixed()
};

/// A parameter, buffer or constant of this segment.
struct Weight {
    std::int32_t initializer = -1;
    bool trainable = false;
    at::Tensor value;  ///< current value; updated in place by the optimizer, and never requires a gradient itself
    std::vector<WeightUse> uses;  ///< uses of the weight, ascending; only for trainable weights
    std::int32_t fixed = -1;      ///< position in Weights::fixed() if not trainable
    at::Tensor gradient;          ///< sum of the gradients of all uses; valid between finish_gradients() and the
                                  ///< optimizer's step
};

/// The tensors that are kept from one micro-batch to the next: the segment's weights, and the constants computed from
/// weights.
class Weights {
public:
    /// Initialises or reads every initializer that `nodes` use.
    static Result<Weights> load(const SegmentConfig& config, at::Device device, const WeightReader& read_weight);

    /// Returns the tensors that programs read by position: one per use of a trainable weight, one per other
    /// initializer, then constants.
    const std::vector<at::Tensor>& fixed() const { return fixed_; }
    /// Returns the position of the tensor for `slot` of `node`; -1 if it is not an initializer of this segment.
    std::int32_t fixed_of(graph::NodeIndex node, std::size_t slot) const;
    /// Returns whether the tensor at this position never changes: it is neither trained nor a running statistic.
    bool is_constant(std::int32_t fixed) const { return constant_[static_cast<std::size_t>(fixed)]; }
    std::int32_t add_constant(at::Tensor value);
    /// Replaces running statistics.
    void store(std::int32_t fixed, at::Tensor value);

    std::vector<Weight>& all() { return weights_; }
    const std::vector<Weight>& all() const { return weights_; }
    const Weight* find(std::int32_t initializer) const;
    /// Returns whether steps change the value, as they change parameters and running statistics.
    bool changes(const Weight& weight) const { return weight.trainable || !is_constant(weight.fixed); }
    /// Returns the gradient of one use so far; undefined if no gradient has arrived.
    const at::Tensor& use_gradient(const WeightUse& use) const;
    /// Sums the gradients of all uses of each weight, in this and in other segments (`foreign`), into Weight::gradient.
    /// The order is from the last use to the first.
    Result<void> fold_uses(const std::vector<UseGradient>& foreign, at::Device device);
    void clear_gradients();
    /// Returns whether the tensor is in memory that the optimizer writes to.
    bool shares_parameter_memory(const at::Tensor& tensor) const;

private:
    std::vector<Weight> weights_;  ///< sorted by initializer
    std::vector<at::Tensor> fixed_;
    std::vector<bool> constant_;
    std::map<std::pair<graph::NodeIndex, std::size_t>, std::int32_t> by_slot_;
    std::map<std::int32_t, std::size_t> buffer_of_;  ///< index of the weight, by its position in Weights::fixed()

    std::int32_t add_fixed(at::Tensor value, bool constant);
};

/// Returns initial values: uniform or normal random numbers keyed by (seed, name), equal on every host and for every
/// split.
graph::HostTensor draw_weight(const graph::RandomInit& random, graph::DType dtype, std::vector<std::int64_t> dims,
                              std::uint64_t key);

}  // namespace divisi::segment
