// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "agents/segment/executor.h"

namespace divisi::testing {

/// Records its calls, and computes nothing. Each weight that it holds is one number: that of its initializer.
class FakeExecutor final : public segment::Executor {
public:
    explicit FakeExecutor(std::vector<std::string>& calls) : calls_(calls) {}
    using Tensors = std::vector<graph::HostTensor>;

    Result<Tensors> forward(std::int64_t step, std::int64_t microbatch, const Tensors&) override {
        calls_.push_back("forward " + std::to_string(step) + " " + std::to_string(microbatch));
        return Tensors();
    }
    Result<Tensors> backward(std::int64_t, std::int64_t, const Tensors&) override { return Tensors(); }
    Result<Tensors> evaluate(const Tensors& inputs) override { return inputs; }
    float step_loss() const override { return 0.5F; }
    std::vector<float> step_means() const override { return {0.25F}; }
    Result<std::vector<segment::UseGradient>> use_gradients(const std::vector<std::int32_t>&) override {
        return std::vector<segment::UseGradient>();
    }
    Result<std::vector<segment::NormShare>> finish_gradients(const std::vector<segment::UseGradient>&) override {
        return std::vector<segment::NormShare>{{0, 9.0}, {1, 16.0}};
    }
    Result<void> optimizer_step(std::int64_t step, double, std::optional<double> squared_norm) override {
        calls_.push_back("optimizer " + std::to_string(step) + " " + std::to_string(squared_norm.value_or(-1)));
        return {};
    }
    Result<graph::HostTensor> read(std::int32_t initializer) const override {
        if (unreadable) return *unreadable;
        if (std::ranges::find(held, initializer) == held.end()) return graph::HostTensor();
        return graph::HostTensor::of<float>(graph::DType::float32, {1}, {static_cast<float>(initializer)});
    }
    Result<std::vector<segment::StateTensor>> state() const override { return std::vector<segment::StateTensor>(); }
    Result<void> restore(const std::vector<segment::StateTensor>&) override { return {}; }
    std::optional<std::int32_t> nonfinite_weight() const override { return 0; }
    std::vector<std::int32_t> initializers() const override { return held; }
    Memory memory() const override { return {}; }

    std::vector<std::int32_t> held;   ///< initializers, in ascending order
    std::optional<Error> unreadable;  ///< error of read()

private:
    std::vector<std::string>& calls_;
};

}  // namespace divisi::testing
