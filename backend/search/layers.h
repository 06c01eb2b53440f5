// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/plan/cut_choice.h"
#include "backend/search/chain.h"
#include "backend/search/segmentation_request.h"

namespace divisi::search {

/// Sums a cost of nodes up to each place where a model may be cut: 0 at its start, one sum for each legal cut, and
/// `total` at its end. `total` includes nodes added to the model (the loss). Constant nodes count where they will run
/// (CutList::home).
std::vector<double> sums_before_cuts(const graph::CutList& cuts, double total,
                                     const std::function<double(graph::NodeIndex)>& cost);

/// Makes a chain of the model's legal cuts for one of the simple rules. The work of a "device" is the number of layers
/// (equal-layers), the bytes of parameters (equal-parameters) or the FLOPs (equal-flops); links are free. Respects
/// request.together and the bounds of layers. `cost` may be the cost of the model extended by its loss. Fails
/// (not_found) for a name in `together` that no operator has.
Result<Chain> rule_chain(const graph::Graph& model, const graph::CutList& cuts, const graph::GraphCost& cost,
                         const SegmentationRequest& request);

/// Forbids the chain positions that request.together excludes, and copies the bounds of layers. The positions must be
/// the model's legal cuts. Fails as rule_chain() does.
Result<void> restrict_chain(Chain& chain, const graph::Graph& model, const graph::CutList& cuts,
                            const SegmentationRequest& request);

struct LayerPlan {
    plan::CutChoice cuts;
    std::vector<std::int32_t> devices;  ///< device kind of each stage, see Chain
    std::vector<std::int32_t> nodes;    ///< node of each stage, if planned on a NodePool
    bool nodes_matter = false;          ///< other nodes would be slower or are not allowed
    double slowest = 0;
    bool all_orders = false;                ///< all device orders were considered: none is faster
    double start_step_ms = 0, step_ms = 0;  ///< for a tabu search: simulated step time of its start and of `cuts`
    std::vector<StageCount> counts;  ///< if the number of stages was open: all tried numbers for which there is a plan
};

/// Maximum number of stages that are tried if the request gives no upper bound.
inline constexpr std::int64_t most_open_stages = 16;

/// A number of stages is as good as the fastest one if its plan is slower by at most this share. The planner chooses
/// the smallest such number.
inline constexpr double open_stages_slack = 0.01;

/// The devices that run the stages of a chain.
struct StageDevices {
    std::vector<std::int32_t> order;  ///< device kind of each stage; empty: as many devices of kind 0 as needed
    bool any_order = false;           ///< the planner may use any of the first `nodes` devices, in any order
    std::size_t nodes = 0;  ///< number of distinct devices; later entries repeat them, for plans with more stages
    std::function<std::vector<double>(std::int32_t stages)> in_flight;     ///< see Chain; set only if memory matters
    std::function<std::vector<double>(std::int32_t stages)> memory_bytes;  ///< memory of a stage on each kind of device
};

/// Finds the exact optimum of a chain of legal cuts, within `slack` as in cut_chain(). Plans request.stages stages, or
/// the smallest number from request.least_stages to request.most_stages that is as fast as any other. Fails under the
/// same conditions as cut_chain(); if the number of stages is open, fails only if every number fails.
Result<LayerPlan> plan_layers(const Chain& chain, const SegmentationRequest& request, const StageDevices& devices,
                              double slack = 0);

/// Returns the time of the slowest stage or connection of a chain of legal cuts, with one stage on each device of
/// `order`.
double slowest_ms(const Chain& chain, const std::vector<std::int32_t>& order, const plan::CutChoice& choice);

/// Returns the first cut of `choice` that divides a scope in `together`; -1 if there is none. Fails as rule_chain()
/// does.
Result<std::int32_t> forbidden_cut(const graph::Graph& model, const graph::CutList& cuts, const plan::CutChoice& choice,
                                   const std::vector<std::string>& together);

/// Share by which the slowest segment may exceed the optimum if fewer bytes then cross the cuts.
inline constexpr double equal_flops_slack = 0.02;

/// Cuts the graph into `stages` segments of about equal work. The cost of the largest segment in FLOPs (forward +
/// backward) is within equal_flops_slack of the exact minimum over all choices of legal cuts. Among such choices,
/// returns the choice with the fewest crossing bytes, and among equals the choice with the earliest cuts (see
/// plan_layers()). `cost` may be the cost of the graph extended by the loss; the loss then counts in the last segment.
/// Fails (invalid_input) if there are too few legal cuts.
Result<plan::CutChoice> equal_flops(const graph::Graph& graph, const graph::CutList& cuts, const graph::GraphCost& cost,
                                    std::int64_t stages);

}  // namespace divisi::search
