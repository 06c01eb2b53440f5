// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <memory>
#include <string>
#include <vector>

#include "agents/instance/stretch.h"
#include "agents/segment/executor.h"
#include "backend/base/result.h"

namespace divisi::instance {

/// Device and settings of a trial.
struct TrialOptions {
    std::string device = "cpu";
    int threads = 1;
    bool frozen = false;  ///< trains no weight: backward computes only the gradients of the inputs
    segment::OptimizerConfig optimizer;
};

/// Seconds of the parts of a step.
struct TrialTimes {
    double forward = 0, backward = 0;  ///< of one whole micro-batch
    double optimizer = 0;              ///< per step: gradients combined, weights updated
};

/// Runs a stretch of a model step by step in the executor used for training. With one CPU thread, times are CPU times
/// of that thread, so that other processes matter only through caches and memory. Otherwise, they are elapsed times.
class Trial {
public:
    /// Makes a trial. Fails as segment::make_executor() does.
    static Result<Trial> make(std::shared_ptr<const Stretch> stretch, const TrialOptions& options);

    /// Runs a step. Its first micro-batch is not counted, because it has no earlier gradients to add to. With `timed`,
    /// forward() and backward() return the operators' times afterwards, and the step takes slightly longer.
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
