// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/training.h"

#include "backend/base/hash.h"

namespace divisi::sim {
namespace {

constexpr std::uint64_t weight_key = 1, sample_key = 2, forward_key = 3, backward_key = 4;
/// Low bits dropped from a loss: a float represents only 24-bit integers exactly.
constexpr int bits_of_no_loss = 64 - 24;

std::uint64_t number(std::int64_t value) { return static_cast<std::uint64_t>(value); }

}  // namespace

std::uint64_t OperatorArithmetic::first_weight(std::int32_t op) { return mix(weight_key, number(op)); }

std::uint64_t OperatorArithmetic::sample(std::int64_t step, std::int32_t microbatch) {
    return mix(mix(sample_key, number(step)), number(microbatch));
}

float OperatorArithmetic::loss(const std::vector<std::uint64_t>& outputs) {
    std::uint64_t sum = 0;
    for (const std::uint64_t output : outputs) sum = mix(sum, output);
    return static_cast<float>(sum >> bits_of_no_loss);
}

std::uint64_t OperatorArithmetic::forward(std::uint64_t activation) const {
    return mix(mix(forward_key + number(op_), weight_), activation);
}

std::uint64_t OperatorArithmetic::backward(std::uint64_t gradient) {
    gathered_ = mix(gathered_, gradient);
    return mix(mix(backward_key + number(op_), weight_), gradient);
}

void OperatorArithmetic::end_step() {
    weight_ = mix(weight_, gathered_);
    gathered_ = 0;
}

Undisturbed::Undisturbed(std::int32_t operators, std::int64_t steps) : operators_(operators) {
    std::vector<OperatorArithmetic> all;
    for (std::int32_t i = 0; i < operators; ++i) all.emplace_back(i, OperatorArithmetic::first_weight(i));
    const auto keep_weights = [&] {
        for (const OperatorArithmetic& one : all) weights_.push_back(one.weight());
    };
    keep_weights();
    const std::size_t count = static_cast<std::size_t>(steps) * static_cast<std::size_t>(operators) * microbatches;
    for (auto& way : sent_) way.resize(count);
    for (std::int64_t step = 1; step <= steps; ++step) {
        std::vector<std::uint64_t> outputs;
        for (std::int32_t microbatch = 0; microbatch < microbatches; ++microbatch) {
            std::uint64_t value = OperatorArithmetic::sample(step, microbatch);
            for (std::int32_t i = 0; i < operators; ++i)
                sent_[0][index(i, step, microbatch)] = value = all[static_cast<std::size_t>(i)].forward(value);
            outputs.push_back(value);
        }
        for (std::int32_t microbatch = 0; microbatch < microbatches; ++microbatch) {
            std::uint64_t value = outputs[static_cast<std::size_t>(microbatch)];
            for (std::int32_t i = operators - 1; i >= 0; --i)
                sent_[1][index(i, step, microbatch)] = value = all[static_cast<std::size_t>(i)].backward(value);
        }
        for (OperatorArithmetic& one : all) one.end_step();
        keep_weights();
        losses_.push_back(OperatorArithmetic::loss(outputs));
    }
}

std::size_t Undisturbed::index(std::int32_t op, std::int64_t step, std::int32_t microbatch) const {
    const auto row = static_cast<std::size_t>(step - 1) * static_cast<std::size_t>(operators_);
    return (row + static_cast<std::size_t>(op)) * microbatches + static_cast<std::size_t>(microbatch);
}

std::uint64_t Undisturbed::weight(std::int32_t op, std::int64_t step) const {
    return weights_.at(static_cast<std::size_t>(step) * static_cast<std::size_t>(operators_) +
                       static_cast<std::size_t>(op));
}

std::uint64_t Undisturbed::sent(std::int32_t op, Way way, std::int64_t step, std::int32_t microbatch) const {
    return sent_[way == Way::forward ? 0 : 1].at(index(op, step, microbatch));
}

}  // namespace divisi::sim
