// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <memory>
#include <string>
#include <vector>

#include "agents/segment/executor.h"
#include "backend/base/result.h"
#include "backend/graph/graph.h"

namespace divisi::instance {

/// Gradients that a trial computes.
struct TrialParts {
    bool inputs = false;   ///< of inputs that are not weights
    bool weights = false;  ///< of trainable weights
};

/// Seconds of one pass through a trial. Of one thread on a processor it is the time that the process computed,
/// so that others on the machine do not count; else the time that passed.
struct TrialTimes {
    double forward = 0, backward = 0;
};

/// One operator of a graph, several times side by side, in the executor that trains: each copy has weights and
/// inputs of its own. Constants and shape arithmetic that it reads come along. Weights are drawn from a normal
/// distribution, inputs and arriving gradients are made up; integers stay within what the operator indexes.
class Trial {
public:
    /// `gradient` is graph::needs_gradient(graph). Fails as segment::make_executor() does, and (invalid_input)
    /// where a shape is unknown.
    static Result<Trial> make(const graph::Graph& graph, graph::NodeIndex node, const std::vector<bool>& gradient,
                              std::int64_t copies, TrialParts parts, const std::string& device, int threads);

    /// Forward and backward of one micro-batch. Gradients are added to those of an earlier one, as they are for
    /// all micro-batches of a step but the first.
    Result<TrialTimes> run();

private:
    Trial() = default;
    std::unique_ptr<segment::Executor> executor_;
    std::vector<graph::HostTensor> inputs_, gradients_;
    std::int64_t step_ = 0;
    clockid_t clock_ = CLOCK_MONOTONIC;
};

}  // namespace divisi::instance
