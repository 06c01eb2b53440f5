// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace divisi::sim {

/// Number of micro-batches in each step of a simulated training.
inline constexpr std::int32_t microbatches = 2;

enum class Way : std::uint8_t { forward, backward };

/// The arithmetic of one operator, with one number for each tensor. Its output depends on its input and weight; its
/// weight depends on all gradients so far.
class OperatorArithmetic {
public:
    OperatorArithmetic(std::int32_t op, std::uint64_t weight) : op_(op), weight_(weight) {}

    /// Returns an operator's weight before its first step.
    static std::uint64_t first_weight(std::int32_t op);
    /// Returns the input of the first operator.
    static std::uint64_t sample(std::int64_t step, std::int32_t microbatch);
    /// Computes the loss from the last operator's outputs of one step, in the order of micro-batches.
    static float loss(const std::vector<std::uint64_t>& outputs);

    std::uint64_t forward(std::uint64_t activation) const;
    std::uint64_t backward(std::uint64_t gradient);
    /// Ends a step after the last micro-batch: applies the gradients to the weight.
    void end_step();
    std::uint64_t weight() const { return weight_; }

private:
    std::int32_t op_;
    std::uint64_t weight_;
    std::uint64_t gathered_ = 0;  ///< gradients of this step
};

/// The expected tensors, weights and losses of a training without faults. They do not depend on the cuts.
class Undisturbed {
public:
    Undisturbed(std::int32_t operators, std::int64_t steps);

    /// Returns an operator's weight after a step; step 0: its initial weight.
    std::uint64_t weight(std::int32_t op, std::int64_t step) const;
    /// Returns the value that the operator sends forward or backward.
    std::uint64_t sent(std::int32_t op, Way way, std::int64_t step, std::int32_t microbatch) const;
    /// Returns the loss of a step, counted from 1.
    float loss(std::int64_t step) const { return losses_.at(static_cast<std::size_t>(step - 1)); }
    std::int64_t steps() const { return static_cast<std::int64_t>(losses_.size()); }

private:
    std::size_t index(std::int32_t op, std::int64_t step, std::int32_t microbatch) const;

    std::int32_t operators_;
    std::vector<std::uint64_t> weights_;  ///< by step from 0, then by operator
    std::vector<std::uint64_t> sent_[2];  ///< by direction; then by step, operator and micro-batch
    std::vector<float> losses_;
};

}  // namespace divisi::sim
