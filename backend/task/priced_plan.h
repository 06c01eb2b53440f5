// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/price/predicted_stage.h"
#include "backend/search/segmentation_request.h"

namespace divisi::task {

/// A branch of a multi-task model and its share of the work.
struct PartPrediction {
    std::string name;                        ///< "backbone", "trunk of a, b", "head a"
    Flops flops = 0;                         ///< counted as for a stage; includes the head's own loss
    double flops_share = 0;                  ///< share of the whole model including its losses
    std::vector<std::int32_t> stages;        ///< ascending
    std::vector<std::string> shared_values;  ///< values computed in this branch and read by other branches
};

/// One stage of a priced plan: its operators, and their predicted cost.
struct PricedStage {
    std::vector<std::string> operators;  ///< by name, in execution order
    std::string end;                     ///< its cut, "(end)", or the last operator of a stage that is not contiguous
    price::PredictedStage prediction;
};

/// Traffic from one stage to a stage in another MIC, through gateways and routers.
struct PricedPath {
    std::int32_t from = 0, to = 0;     ///< stages; -1: the place where data is loaded
    std::vector<std::string> devices;  ///< names in order: gateway, routers, gateway
    std::string narrowest;             ///< the link that limits the bandwidth: "sr-1, mg-2"
    double latency_ms = 0;             ///< latency of a tensor of a few bytes over all links
    double bytes_per_s = 0;            ///< rate of the narrowest link; 0: unlimited
    double tensor_ms = 0;              ///< time until the largest tensor on the path has arrived
    std::string source;                ///< source of the figures of its least certain link, as in `links` below
};

/// A plan and its price, as in the output of `divisictl plan` and in the answer to SegmentModel. Has plain values only,
/// so that plans made by divisictl and by the orchestrator have the same form.
struct PricedPlan {
    std::string model;
    std::vector<std::string> cuts;  ///< name of the node before each cut; empty for block plans
    std::vector<PricedStage> stages;
    std::vector<PartPrediction> parts;             ///< multi-task: backbone, trunks and heads
    std::vector<search::StageCount> stage_counts;  ///< if the number of stages was open: the gain of each number
    std::string hash;
    double objective_ms = 0;       ///< time of the slowest stage or connection for one micro-batch
    double lower_bound_ms = 0;     ///< lower bound of `objective_ms` for this number of stages
    double predicted_step_ms = 0;  ///< from full simulation
    double profiled_share = 0;     ///< measured share of the stages' computing time
    std::vector<std::string> warnings;
    std::vector<PricedPath> paths;  ///< in the order of their stages
    std::string links;              ///< source of the least certain link used: "measured", "cluster file" or "default"
    price::PredictedData data;      ///< the data instances of the plan

    /// Returns objective_ms / lower_bound_ms - 1.
    double gap() const { return lower_bound_ms > 0 ? objective_ms / lower_bound_ms - 1 : 0; }
};

/// Checks that a received plan can be shown: numbers are finite and not negative, and sizes are at most 2^60 bytes.
/// Fails (corrupt) and names the stage.
Result<void> check_priced(const PricedPlan& plan);

}  // namespace divisi::task
