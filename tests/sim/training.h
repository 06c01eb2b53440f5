// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace divisi::sim {

/// Of each step of a simulated training.
inline constexpr std::int32_t microbatches = 2;

enum class Way : std::uint8_t { forward, backward };

/// The arithmetic of one operator, with a number for each tensor: what it makes of an input depends on its weight, and
/// its weight on all the gradients that it was given.
class OperatorArithmetic {
public:
    OperatorArithmetic(std::int32_t op, std::uint64_t weight) : op_(op), weight_(weight) {}

    /// An operator's before its first step.
    static std::uint64_t first_weight(std::int32_t op);
    /// What the first operator reads.
    static std::uint64_t sample(std::int64_t step, std::int32_t microbatch);
    /// What the last operator makes of its outputs of one step, in the order of micro-batches.
    static float loss(const std::vector<std::uint64_t>& outputs);

    std::uint64_t forward(std::uint64_t activation) const;
    std::uint64_t backward(std::uint64_t gradient);
    /// After the last micro-batch: the gradients change the weight.
    void end_step();
    std::uint64_t weight() const { return weight_; }

private:
    std::int32_t op_;
    std::uint64_t weight_;
    std::uint64_t gathered_ = 0;  ///< gradients of this step
};

/// All that is sent and reported in a training that nothing disturbs, however its operators are cut into stages.
class Undisturbed {
public:
    Undisturbed(std::int32_t operators, std::int64_t steps);

    /// Of an operator after a step; step 0: as it begins.
    std::uint64_t weight(std::int32_t op, std::int64_t step) const;
    /// What the operator sends that way.
    std::uint64_t sent(std::int32_t op, Way way, std::int64_t step, std::int32_t microbatch) const;
    /// From step 1.
    float loss(std::int64_t step) const { return losses_.at(static_cast<std::size_t>(step - 1)); }
    std::int64_t steps() const { return static_cast<std::int64_t>(losses_.size()); }

private:
    std::size_t index(std::int32_t op, std::int64_t step, std::int32_t microbatch) const;

    std::int32_t operators_;
    std::vector<std::uint64_t> weights_;  ///< by step from 0, operator
    std::vector<std::uint64_t> sent_[2];  ///< by way; step, operator, micro-batch
    std::vector<float> losses_;
};

}  // namespace divisi::sim
