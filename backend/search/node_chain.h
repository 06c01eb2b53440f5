// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "backend/price/constraints.h"
#include "backend/price/node_pool.h"
#include "backend/search/layers.h"

namespace divisi::search {

/// The progress of a search.
struct SearchProgress {
    double done = 0;              ///< share of its budget, 0 to 1
    const plan::CutChoice& best;  ///< so far
    double best_step_ms = 0;
};

/// Asked during a long search, often; true ends it.
using StopSearch = std::function<bool()>;

/// A model that is to be split, where it would run, and how.
struct LayerTask {
    const graph::Graph& model;
    const graph::CutList& cuts;
    price::Pricing& pricing;            ///< of the model continued by its loss
    const price::NodePool& pool;        ///< where it may run
    price::CutConstraints constraints;  ///< with `stages`, the nodes stay in that order; else in the best there is
    price::TrainingSetup setup;
    std::function<bool(const SearchProgress&)> watch = {};  ///< of tabu_layers(); false ends it with the best so far
    StopSearch stop = {};                                   ///< of tabu_layers(); true ends it without a plan
    std::int32_t data_instances = 0;                        ///< see NodePool::place_data(); 0: none is dealt
};

/// Bytes of an operator's weights with their gradients and optimizer state.
double held_bytes(const graph::Graph& graph, const graph::NodeCost& cost, const graph::Node& node,
                  std::int32_t optimizer_states);

/// The model's legal cuts as the positions of a chain in ms, on the nodes of the pool: the operators of a stage
/// forwards and backwards, and a connection in its slower direction, each for one micro-batch. Memory is
/// parameters, gradients and optimizer state, and the activations in flight; a weight that two stages use counts in
/// the first. Nodes of which it makes no difference which one a stage is on are one kind. `stages`: no more will be
/// asked for. Fails as Pricing::on(), rule_chain() and check_constraints() do.
struct PricedChain {
    Chain chain;
    StageDevices devices;
    std::vector<std::int32_t> nodes;  ///< of the pool: what each of devices.order stands for
};
Result<PricedChain> priced_chain(const LayerTask& task, const SegmentationRequest& request, std::int32_t stages);

/// The chain of a simple rule (see rule_chain()), on which the nodes of the pool differ only by what the constraints
/// ask of them. Fails as priced_chain().
Result<PricedChain> constrained_rule_chain(const LayerTask& task, const SegmentationRequest& request,
                                           std::int32_t stages);

/// plan_layers() on a chain of nodes, with the node of each stage. Where pins leave no plan with each node once, those
/// that they name may come again.
Result<LayerPlan> plan_on_nodes(const PricedChain& priced, const LayerTask& task, const SegmentationRequest& request,
                                double slack = 0);

/// Where to run given cuts: the nodes on which their slowest stage or connection is fastest; the fastest_nodes() where
/// not chain_counts_all(). Where nodes differ, fails as plan_on_nodes(), also when a stage fits no node.
Result<LayerPlan> place_cuts(const LayerTask& task, const plan::CutChoice& choice);

/// Contradictions that no cuts can mend, naming both sides: two operators between which there is no legal cut and that
/// are pinned to different nodes, a sensitive operator that is pinned to a node that is not secure, sensitive ones
/// where no node is, and (not_found) a node that the pool does not have.
Result<void> check_constraints(const LayerTask& task);

}  // namespace divisi::search
