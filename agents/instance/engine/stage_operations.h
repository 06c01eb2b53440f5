// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agents/segment/executor.h"
#include "backend/plan/interpreter.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Losses of a step, on the stage that computes the loss.
struct StepLosses {
    float loss = 0;
    std::vector<float> heads = {};  ///< loss of each head; multi-task only
};

/// Runs the operations of a stage with its executor. Not thread-safe.
class StageOperations {
public:
    StageOperations(std::shared_ptr<const task::CompiledPlan> plan, std::int32_t stage,
                    std::unique_ptr<segment::Executor> executor);

    /// Runs an operation and returns its outputs. An evaluation returns its figures after the outputs, as the executor
    /// does.
    Result<std::vector<graph::HostTensor>> run(const plan::Start& start, const std::vector<graph::HostTensor>& inputs);
    /// Returns the number of outputs of an evaluation, without its figures.
    std::size_t outputs() const;
    /// Returns the losses of the last step with an update.
    const StepLosses& losses() const { return losses_; }
    /// Checks the weights after the last update, because no later loss would show damaged weights.
    Result<void> check_weights() const;

    /// Returns the executor; null after take_executor().
    segment::Executor* executor() const { return executor_.get(); }
    std::unique_ptr<segment::Executor> take_executor() { return std::move(executor_); }

private:
    Result<std::vector<graph::HostTensor>> share_gradients(const plan::Start& start);
    Result<std::vector<graph::HostTensor>> finish_gradients(const plan::Start& start,
                                                            const std::vector<graph::HostTensor>& inputs);
    Result<std::vector<graph::HostTensor>> optimizer_step(const plan::Start& start,
                                                          const std::vector<graph::HostTensor>& inputs);

    std::shared_ptr<const task::CompiledPlan> plan_;
    std::int32_t stage_;
    std::unique_ptr<segment::Executor> executor_;
    /// norm shares of this segment, between finish_gradients and the update
    std::vector<segment::NormShare> own_shares_;
    StepLosses losses_;
};

}  // namespace divisi::instance
