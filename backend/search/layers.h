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
#include "backend/search/stage_count.h"

namespace divisi::search {

/// A cost of nodes summed up before each place where a model may be cut: 0 at its start, one sum for each legal
/// cut, `total` at its end, with what continues the model (the loss). Constant nodes count where they will run
/// (CutList::home).
std::vector<double> sums_before_cuts(const graph::CutList& cuts, double total,
                                     const std::function<double(graph::NodeIndex)>& cost);

/// The model's legal cuts as the positions of a chain for one of the simple rules: what a "device" works off are
/// layers (equal-layers), bytes of parameters (equal-parameters) or FLOPs (equal-flops), on links that cost
/// nothing. request.together and the bounds of layers are kept. `cost` may be of the model continued by its loss.
/// Fails (not_found) for a name in `together` that no operator has.
Result<Chain> rule_chain(const graph::Graph& model, const graph::CutList& cuts, const graph::GraphCost& cost,
                         const SegmentationRequest& request);

/// Forbids the positions of a chain of the model's legal cuts that request.together forbids, and takes over the
/// bounds of layers. Fails as rule_chain().
Result<void> restrict_chain(Chain& chain, const graph::Graph& model, const graph::CutList& cuts,
                            const SegmentationRequest& request);

struct LayerPlan {
    plan::CutChoice cuts;
    std::vector<std::int32_t> devices;  ///< kind of each stage, see Chain
    std::vector<std::int32_t> nodes;    ///< where planned on a NodePool: of each stage
    bool nodes_matter = false;          ///< other nodes would not do as well, or must not
    double slowest = 0;
    bool all_orders = false;                ///< no order of the devices is faster
    double start_step_ms = 0, step_ms = 0;  ///< simulated, by the tabu search: of its start, of `cuts`
    std::vector<StageCount> counts;         ///< when the number was open: each number up to one that buys nothing
};

/// Most stages that are tried where the request leaves the number open upwards.
inline constexpr std::int64_t most_open_stages = 16;

/// A number of stages within this share of the fastest is as good, so that fewer are taken.
inline constexpr double open_stages_slack = 0.01;

/// What runs the stages of a chain.
struct StageDevices {
    std::vector<std::int32_t> order;  ///< kind of the device of each stage; empty: as many of kind 0 as needed
    bool any_order = false;           ///< the planner may take any of the first `nodes` of them, in any order
    std::size_t nodes = 0;            ///< beyond them devices come again, and are taken when all of these are
    std::function<std::vector<double>(std::int32_t stages)> in_flight;     ///< see Chain; only where memory matters
    std::function<std::vector<double>(std::int32_t stages)> memory_bytes;  ///< of each kind where stages share it
};

/// The exact optimum of a chain of legal cuts, within `slack` as cut_chain() has it, for request.stages stages, or
/// for the fewest of request.least_stages to request.most_stages that are as fast as any. Fails as cut_chain();
/// where the number is open, only when no number can be.
Result<LayerPlan> plan_layers(const Chain& chain, const SegmentationRequest& request, const StageDevices& devices,
                              double slack = 0);

/// What the slowest stage or connection of a chain of legal cuts takes, one stage on each device of `order`.
double slowest_ms(const Chain& chain, const std::vector<std::int32_t>& order, const plan::CutChoice& choice);

/// Legal cuts inside what `together` keeps whole: the first of `choice`, or -1. Fails as rule_chain().
Result<std::int32_t> forbidden_cut(const graph::Graph& model, const graph::CutList& cuts, const plan::CutChoice& choice,
                                   const std::vector<std::string>& together);

}  // namespace divisi::search
