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

/// Where a trial runs, and how.
struct TrialOptions {
    std::string device = "cpu";
    int threads = 1;
    bool frozen = false;  ///< no weight is trained: backward computes the gradients of the inputs alone
    segment::OptimizerConfig optimizer;
};

/// Seconds of a step, per micro-batch where that makes sense.
struct TrialTimes {
    double forward = 0, backward = 0;  ///< of a micro-batch, whole
    double optimizer = 0;              ///< of a step: gradients folded, weights moved
};

/// A stretch of a model in the executor that trains it, step after step. Times are of one thread on a processor the
/// time that the thread computed, so that others on the machine count only by the caches and the memory that they take;
/// else the time that passed.
class Trial {
public:
    /// Fails as segment::make_executor() does.
    static Result<Trial> make(std::shared_ptr<const Stretch> stretch, const TrialOptions& options);

    /// A step. Its first micro-batch, which finds no gradients to add to, does not count.
    /// With `timed`, stopwatch() then has the times of the operators, and the whole takes a little longer.
    Result<TrialTimes> run(bool timed);

    /// By node of the stretch, of one micro-batch.
    double forward(graph::NodeIndex node) const;
    double backward(graph::NodeIndex node) const;

private:
    Trial() = default;
    std::shared_ptr<const Stretch> stretch_;
    std::unique_ptr<segment::Stopwatch> stopwatch_;
    std::unique_ptr<segment::Executor> executor_;
    std::int64_t step_ = 1;  ///< the one that run() does next
    clockid_t clock_ = CLOCK_MONOTONIC;
};

}  // namespace divisi::instance
