// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <vector>

#include "agents/segment/executor.h"

namespace divisi::segment {

/// One place where a trainable weight enters a node. Each use is an autograd leaf of its own over the shared
/// storage, so that its gradient accumulates over micro-batches by itself: the sum over uses then has one
/// order in every plan, also when the uses lie in different segments.
struct WeightUse {
    std::int32_t number = 0;  ///< over the whole graph, by (node, slot)
    std::int32_t fixed = -1;  ///< position of its leaf in Weights::fixed()
};

/// A parameter, buffer or constant of this segment.
struct Weight {
    std::int32_t initializer = -1;
    bool trainable = false;
    at::Tensor value;             ///< updated in place by the optimizer; never requires a gradient itself
    std::vector<WeightUse> uses;  ///< ascending; only of trainable weights
    std::int32_t fixed = -1;      ///< position in Weights::fixed() when not trainable
    at::Tensor gradient;          ///< sum over uses, between finish_gradients() and the optimizer's step
};

/// What stays in place between micro-batches: the segment's weights and the constants computed from them.
class Weights {
public:
    /// Draws or reads every initializer that `nodes` consume.
    static Result<Weights> load(const SegmentConfig& config, at::Device device, const WeightReader& read_weight);

    /// Tensors that programs read by position: one per use of a trainable weight, one per other initializer,
    /// then constants.
    const std::vector<at::Tensor>& fixed() const { return fixed_; }
    /// Position of what feeds `slot` of `node`, or -1 when that is no initializer of this segment.
    std::int32_t fixed_of(graph::NodeIndex node, std::size_t slot) const;
    /// True when the position holds what no step changes: neither trained nor running statistics.
    bool is_constant(std::int32_t fixed) const { return constant_[static_cast<std::size_t>(fixed)]; }
    std::int32_t add_constant(at::Tensor value);
    /// Replaces running statistics.
    void store(std::int32_t fixed, at::Tensor value);

    std::vector<Weight>& all() { return weights_; }
    const std::vector<Weight>& all() const { return weights_; }
    const Weight* find(std::int32_t initializer) const;
    /// Parameters and running statistics: what is not what it was, some steps later.
    bool changes(const Weight& weight) const { return weight.trainable || !is_constant(weight.fixed); }
    /// Gradient of one use so far; undefined when none arrived.
    const at::Tensor& use_gradient(const WeightUse& use) const;
    /// Adds up each weight's uses, own and foreign, from the last to the first, into Weight::gradient.
    Result<void> fold_uses(const std::vector<UseGradient>& foreign, at::Device device);
    void clear_gradients();
    /// True when the tensor lies in memory that the optimizer writes to.
    bool shares_parameter_memory(const at::Tensor& tensor) const;

private:
    std::vector<Weight> weights_;  ///< by initializer, ascending
    std::vector<at::Tensor> fixed_;
    std::vector<bool> constant_;
    std::map<std::pair<graph::NodeIndex, std::size_t>, std::int32_t> by_slot_;
    std::map<std::int32_t, std::size_t> buffer_of_;  ///< fixed position -> weight

    std::int32_t add_fixed(at::Tensor value, bool constant);
};

/// Initial values: uniform or normal numbers keyed by (seed, name), the same on every host and for every split.
graph::HostTensor draw_weight(const graph::RandomInit& random, graph::DType dtype, std::vector<std::int64_t> dims,
                              std::uint64_t key);

}  // namespace divisi::segment
