// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "agents/instance/engine/results.h"
#include "agents/instance/engine/stage_operations.h"
#include "backend/base/clock.h"
#include "backend/control/types/types.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Makes the records of steps and evaluations, on the instance that computes the loss. Reads no clock.
class StepRecords {
public:
    StepRecords(std::shared_ptr<const task::CompiledPlan> plan, Generation generation);

    /// Begins a run. `samples`: number of samples in a batch task's data.
    void begin(std::int64_t samples, TimePoint now);
    /// Returns the number of samples of a step. In a batch task, the last step's tensors are padded with rows that do
    /// not count.
    std::int64_t samples_in(std::int64_t step) const;
    /// Returns the last step of a batch task.
    std::int64_t last_step() const;

    /// Returns the record of a step that ends now. `scores`: the scores of a batch task.
    control::StepRecord finish_step(std::int64_t step, const StepLosses& losses, const std::vector<Score>& scores,
                                    TimePoint now);
    /// Adds the figures of an evaluated micro-batch. In `results`, they follow the first `outputs` tensors: the loss,
    /// then the metrics of segment_config().
    void add_evaluation(const std::vector<graph::HostTensor>& results, std::size_t outputs);
    /// Returns the means over the micro-batches that were added since the last evaluation.
    control::EvalRecord finish_evaluation(std::int64_t step, TimePoint now);
    /// Returns the record of a whole batch task.
    control::EvalRecord finish_batch(const std::vector<Score>& totals) const;

    /// Check the loss of a step or an evaluation. If the loss is not finite, they fail if the task's options say so.
    /// Otherwise they report the first loss of each series of losses that are not finite.
    using Report = std::function<void(const Error&)>;
    Result<void> check(const control::StepRecord& record, const Report& report);
    Result<void> check(const control::EvalRecord& record, const Report& report);

private:
    bool is_batch() const { return plan_->programs->length.over_data(); }
    Result<void> judge(const std::optional<Error>& nonfinite, bool& known, const Report& report) const;

    std::shared_ptr<const task::CompiledPlan> plan_;
    Generation generation_;
    std::int64_t samples_ = 0;  ///< samples of a batch task's data
    TimePoint last_step_end_{};
    std::vector<double> eval_sums_;  ///< sums of the loss, then of each metric
    std::int32_t eval_count_ = 0;
    /// whether the last value was not finite and this has been reported
    bool loss_is_wrong_ = false, evaluation_is_wrong_ = false;
};

/// Returns the error with which a training task ends because of a value that is not finite. The error names the option
/// with which the task continues instead.
Error ending_error(Error nonfinite);

}  // namespace divisi::instance
