// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <memory>
#include <string>
#include <vector>

#include "agents/instance/commands/stretch.h"
#include "agents/segment/executor.h"
#include "backend/base/result.h"

namespace divisi::instance {

/// Device and settings of a trial.
struct TrialOptions {
    std::string device = "cpu";
    int threads = 1;
    bool frozen = false;  ///< whether weights are not trained, so that backward computes only the gradients of the
                          ///< inputs
    segment::OptimizerConfig optimizer;
};

/// Durations of the parts of a step, in seconds.
struct TrialTimes {
    double forward = 0, backward = 0;  ///< times of one whole micro-batch
    double optimizer = 0;              ///< time per step of combining gradients and updating weights
};

/// Runs a stretch of a model step by step in the executor used for training. With one CPU thread, times are CPU times
/// of this thread, so that other processes affect them only through caches and memory. Otherwise, they are elapsed
/// times.
class Trial {
public:
    /// Makes a trial. Fails as segment::make_executor() does.
    static Result<Trial> make(std::shared_ptr<const Stretch> stretch, const TrialOptions& options);

    /// Runs a step. Its first micro-batch is not counted, because it adds no gradients to earlier ones. If `timed` is
    /// set, forward() and backward() return the times of the operators afterwards, and the step takes slightly longer.
    Result<TrialTimes> run(bool timed);

    /// Return the time of a node of the stretch for one micro-batch.
    double forward(graph::NodeIndex node) const;
    double backward(graph::NodeIndex node) const;

private:
    Trial() = default;
    std::shared_ptr<const Stretch> stretch_;
    std::unique_ptr<segment::Stopwatch> stopwatch_;
    std::unique_ptr<segment::Executor> executor_;
    std::int64_t step_ = 1;  ///< the next step of run()
    clockid_t clock_ = CLOCK_MONOTONIC;
};

}  // namespace divisi::instance
