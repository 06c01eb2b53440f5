// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/search/node_chain.h"

namespace divisi::search {

/// plan_on_nodes() where all that a plan costs is in the chain. Data instances are not, and no gateway or router that
/// takes cores from stages on its host: with these the simulated step decides among the plan that the chain would give
/// and some beside it, whose connections have those devices in their price, which send less, or have a stage more or
/// fewer where their number is open; then it goes to the nodes of place_cuts() if that is faster. None is slower.
/// LayerPlan::slowest is of the chain in any case. Fails as plan_on_nodes().
Result<LayerPlan> plan_by_step(const PricedChain& priced, const LayerTask& task, const SegmentationRequest& request);

/// Method "optimal": the slowest stage or connection is as fast as contiguous cuts allow, over all orders of the nodes,
/// but for what plan_by_step() says. Fails as plan_layers().
Result<LayerPlan> optimal_layers(const LayerTask& task, const SegmentationRequest& request);

/// Method "tabu": for the simulated time of a step. From the optimum of optimal_layers(), on its nodes, each cut goes
/// to the best place of its landscape, again and again, then by tabu moves, and goes to the nodes of place_cuts() as
/// there. Never slower than that optimum. Fails also (deadline) when task.stop ended it.
Result<LayerPlan> tabu_layers(const LayerTask& task, const SegmentationRequest& request);

/// How far cuts, on these nodes, are from the best for as many stages.
struct Distance {
    double slowest_ms = 0;  ///< of the stages and connections, one micro-batch
    double least_ms = 0;    ///< of the best cuts, without regard to memory and constraints
};
Result<Distance> distance_from_optimum(const LayerTask& task, const SegmentationRequest& request,
                                       const plan::CutChoice& choice, const std::vector<std::int32_t>& nodes);

}  // namespace divisi::search
