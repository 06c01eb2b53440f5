// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/price/predict.h"
#include "backend/search/layers.h"
#include "backend/task/compile.h"
#include "backend/task/validate.h"

namespace divisi::task {

/// One stage of a priced plan.
struct PricedStage {
    std::string device;                  ///< "mic-1/node-2 cpu"
    std::vector<std::string> operators;  ///< by name, in the order in which they run
    std::string end;                     ///< its cut, "(end)", or the last operator of one that is not contiguous
    Flops flops = 0;                     ///< forward and backward of all micro-batches
    double flops_share = 0;              ///< of all stages together
    Bytes sent_forward = 0;              ///< to other stages in one step
    Bytes sent_backward = 0;
    Bytes memory = 0;               ///< estimate at its peak
    std::optional<Bytes> capacity;  ///< of its device; empty: not known
    double busy_ms = 0;             ///< computing, in one step
    double bubble = 0;              ///< share of the step in which it does not compute
    double profiled_share = 0;      ///< of its computing, measured; the rest comes from the device's rates
};

/// What `divisictl plan` prints and the message SegmentModel is answered with: a plan and its price. Plain values, so
/// that whoever planned, here or in the orchestrator, says the same.
struct PricedPlan {
    std::string model;
    std::vector<std::string> cuts;  ///< nodes that the cuts follow; empty for block plans
    std::vector<PricedStage> stages;
    std::vector<PartPrediction> parts;             ///< multi-task: backbone, trunks and heads
    std::vector<search::StageCount> stage_counts;  ///< where the number of stages was open: what each would buy
    std::string hash;
    double objective_ms = 0;       ///< the slowest stage or connection, one micro-batch
    double lower_bound_ms = 0;     ///< of `objective_ms`, for as many stages
    double predicted_step_ms = 0;  ///< by full simulation
    double profiled_share = 0;     ///< of the stages' computing, measured
    std::vector<std::string> warnings;
    std::string links;  ///< source of the least certain link used: "measured", "cluster file" or "default"

    /// objective_ms / lower_bound_ms - 1.
    double gap() const { return lower_bound_ms > 0 ? objective_ms / lower_bound_ms - 1 : 0; }
};

/// Prices a compiled plan on the nodes that it was compiled for. `model` is what it was compiled from. The lower bound
/// is the best contiguous cuts for layer plans, else an even share of the work. Fails as predict_step(),
/// split_distance() and, since a plan that is shown can be run, sent_text() do.
Result<PricedPlan> price_plan(const CompiledPlan& compiled, const graph::Graph& model, const price::NodePool& devices);

/// What a plan from elsewhere must be to be shown: finite numbers, and not negative.
Result<void> check_priced(const PricedPlan& plan);

}  // namespace divisi::task
