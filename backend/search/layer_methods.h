// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/search/node_chain.h"

namespace divisi::search {

/// Plans like plan_on_nodes() if the chain contains all costs of a plan. The chain omits the costs of data instances,
/// and of gateways and routers that take cores from stages on their host. If a plan has such costs, the simulated step
/// time decides among these plans:
/// - the chain's plan;
/// - plans whose connection prices include those devices;
/// - plans that send less;
/// - plans with one stage more or fewer, if the number of stages is open.
///
/// Then moves the plan to the nodes of place_cuts() if that is faster. The result is never slower than the chain's
/// plan. LayerPlan::slowest always refers to the chain. Fails as plan_on_nodes() does.
Result<LayerPlan> plan_by_step(const PricedChain& priced, const LayerTask& task, const SegmentationRequest& request);

/// Method "optimal": makes the slowest stage or connection as fast as possible with contiguous cuts, over all orders of
/// the nodes. Exceptions are described at plan_by_step(). Fails as plan_layers() does.
Result<LayerPlan> optimal_layers(const LayerTask& task, const SegmentationRequest& request);

/// Method "tabu": minimizes the simulated step time. Starts from the optimum of optimal_layers() and its nodes. Moves
/// each cut repeatedly to the best position of its landscape, then makes tabu moves, and finally tries the nodes of
/// place_cuts() as optimal_layers() does. Never slower than that optimum. Also fails with deadline if task.stop ended
/// the search.
Result<LayerPlan> tabu_layers(const LayerTask& task, const SegmentationRequest& request);

/// Compares given cuts on given nodes with the best cuts for the same number of stages.
struct Distance {
    double slowest_ms = 0;  ///< time of the slowest stage or connection for one micro-batch
    double least_ms = 0;    ///< time of the best cuts, ignoring memory and constraints
};
Result<Distance> distance_from_optimum(const LayerTask& task, const SegmentationRequest& request,
                                       const plan::CutChoice& choice, const std::vector<std::int32_t>& nodes);

}  // namespace divisi::search
