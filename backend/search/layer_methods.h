// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/search/node_chain.h"

namespace divisi::search {

/// Method "optimal": the slowest stage or connection is as fast as contiguous cuts allow, over all orders of the nodes.
/// Fails as plan_layers().
Result<LayerPlan> optimal_layers(const LayerTask& task, const SegmentationRequest& request);

/// Method "tabu": for the simulated time of a step. From the optimum of optimal_layers(), on its nodes, each cut goes
/// to the best place of its landscape, again and again, then by tabu moves. Never slower than that optimum.
/// Fails also (deadline) when task.stop ended it.
Result<LayerPlan> tabu_layers(const LayerTask& task, const SegmentationRequest& request);

/// How far cuts, on these nodes, are from the best for as many stages.
struct Distance {
    double slowest_ms = 0;  ///< of the stages and connections, one micro-batch
    double least_ms = 0;    ///< of the best cuts, without regard to memory and constraints
};
Result<Distance> distance_from_optimum(const LayerTask& task, const SegmentationRequest& request,
                                       const plan::CutChoice& choice, const std::vector<std::int32_t>& nodes);

}  // namespace divisi::search
