// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "backend/price/node_pool.h"
#include "backend/search/layers.h"

namespace divisi::search {

/// The progress of a search.
struct SearchProgress {
    double done = 0;              ///< used share of the budget, from 0 to 1
    const plan::CutChoice& best;  ///< the best choice so far
    double best_step_ms = 0;
};

/// Called frequently during a long search; returning true ends it.
using StopSearch = std::function<bool()>;

/// A model to be split, the nodes that may run it, and its training settings.
struct LayerTask {
    const graph::Graph& model;
    const graph::CutList& cuts;
    price::Pricing& pricing;      ///< prices of the model extended by its loss
    const price::NodePool& pool;  ///< nodes that may run the model
    /// if its `stages` are set, the nodes keep that order; otherwise the best order is chosen
    price::CutConstraints constraints;
    price::TrainingSetup setup;
    /// for tabu_layers(); returning false ends the search with the best choice so far
    std::function<bool(const SearchProgress&)> watch = {};
    StopSearch stop = {};             ///< for tabu_layers(); returning true ends the search without a plan
    std::int32_t data_instances = 0;  ///< see NodePool::place_data(); 0: no data instances
};

/// Returns the bytes of an operator's weights with their gradients and optimizer state.
double held_bytes(const graph::Graph& graph, const graph::NodeCost& cost, const graph::Node& node,
                  std::int32_t optimizer_states);

/// A chain whose positions are the model's legal cuts, priced in ms on the nodes of the pool. All prices are for one
/// micro-batch. A stage's price is the time of its operators' forward and backward passes. A connection's price is the
/// time of its slower direction. Memory counts parameters, gradients, optimizer state and activations in flight; a
/// weight used by two stages counts in the first. Nodes that are interchangeable form one kind. The parameter `stages`
/// of priced_chain() is the largest number that will be requested. priced_chain() fails as Pricing::on(), rule_chain()
/// and check_constraints() do.
struct PricedChain {
    Chain chain;
    StageDevices devices;
    std::vector<std::int32_t> nodes;  ///< pool index of the node for each entry of devices.order
};
Result<PricedChain> priced_chain(const LayerTask& task, const SegmentationRequest& request, std::int32_t stages);

/// Makes the chain of a simple rule (see rule_chain()). The nodes of the pool differ only in the constraints that apply
/// to them. Fails as priced_chain() does.
Result<PricedChain> constrained_rule_chain(const LayerTask& task, const SegmentationRequest& request,
                                           std::int32_t stages);

/// Runs plan_layers() on a chain of nodes and adds the node of each stage. If pins leave no plan that uses each node
/// once, nodes named by pins may be used several times.
Result<LayerPlan> plan_on_nodes(const PricedChain& priced, const LayerTask& task, const SegmentationRequest& request,
                                double slack = 0);

/// Chooses the nodes for given cuts that make the slowest stage or connection as fast as possible. If
/// chain_counts_all() is false, returns the result of fastest_nodes() instead. If the nodes differ, fails as
/// plan_on_nodes() does, and also if no node suits a stage.
Result<LayerPlan> place_cuts(const LayerTask& task, const plan::CutChoice& choice);

/// Checks for contradictions that no cuts can resolve. The message names both constraints. Fails with invalid_input if:
/// - two operators without a legal cut between them are pinned to different nodes;
/// - an operator is pinned to a node that place.stages does not list;
/// - a sensitive operator is pinned to a node that is not secure;
/// - an operator is sensitive and no node is secure.
///
/// Fails with not_found for a node that the pool does not have.
Result<void> check_constraints(const LayerTask& task);

}  // namespace divisi::search
