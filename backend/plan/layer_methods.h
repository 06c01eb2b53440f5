// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backend/plan/layers.h"
#include "backend/plan/predict.h"

namespace divisi::plan {

/// How far a search is.
struct SearchProgress {
    double done = 0;        ///< share of its budget, 0 to 1
    const CutChoice& best;  ///< so far
    double best_step_ms = 0;
};

/// A model that is to be split, where it would run, and how.
struct LayerTask {
    const graph::Graph& model;
    const graph::CutList& cuts;
    Pricing& pricing;                                         ///< of the model continued by its loss
    std::function<Placement(std::int32_t stages)> placement;  ///< for the first so many stages
    TrainingSetup setup;
    bool any_order = false;                                 ///< optimal_layers() may put the devices in another order
    std::function<bool(const SearchProgress&)> watch = {};  ///< of tabu_layers(); false ends it with the best so far
};

/// The model's legal cuts as the positions of a chain in ms, on the devices of task.placement(stages): the operators
/// of a stage forwards and backwards, and a connection in its slower direction, each for one micro-batch. Memory is
/// parameters, gradients and optimizer state, and the activations in flight; a weight that two stages use counts in
/// the first. Fails as Pricing::on() and rule_chain() do.
struct PricedChain {
    Chain chain;
    StageDevices devices;
};
Result<PricedChain> priced_chain(const LayerTask& task, const SegmentationRequest& request, std::int32_t stages);

/// Method "optimal": the slowest stage or connection is as fast as contiguous cuts allow. Fails as plan_layers().
Result<LayerPlan> optimal_layers(const LayerTask& task, const SegmentationRequest& request);

/// Method "tabu": for the simulated time of a step. From the optimum of optimal_layers() each cut goes to the best
/// place of its landscape, again and again, then by tabu moves. Never slower than that optimum.
Result<LayerPlan> tabu_layers(const LayerTask& task, const SegmentationRequest& request);

/// How far cuts are from the best for as many stages on these devices in this order.
struct Distance {
    double slowest_ms = 0;  ///< of the stages and connections, one micro-batch
    double least_ms = 0;    ///< of the best cuts
};
Result<Distance> distance_from_optimum(const LayerTask& task, const SegmentationRequest& request,
                                       const CutChoice& choice);

}  // namespace divisi::plan
