// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/price/predicted_stage.h"
#include "backend/search/stage_count.h"

namespace divisi::task {

/// A branch of a multi-task model and its part of the work.
struct PartPrediction {
    std::string name;                        ///< "backbone", "trunk of a, b", "head a"
    Flops flops = 0;                         ///< as of a stage; a head's own loss included
    double flops_share = 0;                  ///< of the whole model with its losses
    std::vector<std::int32_t> stages;        ///< ascending
    std::vector<std::string> shared_values;  ///< made here and read by other branches
};

/// One stage of a priced plan: what it runs, and what that is predicted to take.
struct PricedStage {
    std::vector<std::string> operators;  ///< by name, in the order in which they run
    std::string end;                     ///< its cut, "(end)", or the last operator of one that is not contiguous
    price::PredictedStage prediction;
};

/// What one stage sends another in another MIC, by gateways and routers.
struct PricedPath {
    std::int32_t from = 0, to = 0;     ///< stages; -1: where data are loaded
    std::vector<std::string> devices;  ///< by name: gateway, routers, gateway
    std::string narrowest;             ///< the link that bounds it: "sr-1, mg-2"
    double latency_ms = 0;             ///< of a tensor of a few bytes, by all links
    double bytes_per_s = 0;            ///< of the narrowest link; 0: unlimited
    double tensor_ms = 0;              ///< of the largest tensor that goes there, until it has arrived
    std::string source;                ///< of its least certain link, as `links` below
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
    std::vector<PricedPath> paths;  ///< in the order of their stages
    std::string links;              ///< source of the least certain link used: "measured", "cluster file" or "default"
    price::PredictedData data;      ///< of its data instances

    /// objective_ms / lower_bound_ms - 1.
    double gap() const { return lower_bound_ms > 0 ? objective_ms / lower_bound_ms - 1 : 0; }
};

/// What a plan from elsewhere must be to be shown: numbers that are finite and not negative, sizes of at most 2^60
/// bytes. Fails (corrupt) with the stage.
Result<void> check_priced(const PricedPlan& plan);

}  // namespace divisi::task
