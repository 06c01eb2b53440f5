// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "app/model/graph_document.h"
#include "backend/plan/training_graph.h"
#include "backend/price/node_pool.h"
#include "backend/search/layer_methods.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// What of a task changes prices and the cuts that are found, as text to compare: not its cuts, name and data.
std::string essence(task::TaskSpec spec);

/// A model as a task trains it, the prices of its operators, and where it would run. Not thread-safe, as price::Pricing
/// is not; stays where it is, as the prices refer to the graphs.
struct PricedTask {
    ModelPtr model;
    std::string task;    ///< its essence
    graph::Graph graph;  ///< the model's, with its frozen weights marked
    graph::CutList cuts;
    std::unique_ptr<plan::TrainingGraph> training;
    std::unique_ptr<graph::GraphCost> cost;
    std::unique_ptr<price::Pricing> pricing;
    price::TrainingSetup setup;
    std::int32_t data_instances = 0;  ///< that are dealt micro-batches
    price::NodePool pool;
    price::CutConstraints constraints;
    std::uint64_t cluster = 0;

    search::LayerTask layers() const {
        return {graph, cuts, *pricing, pool, constraints, setup, {}, {}, data_instances};
    }
    /// Where the stages of these cuts would run; what breaks the rules has its place and price, too.
    price::Placement place(const Cuts& choice) const;
    /// By full simulation.
    Result<price::Prediction> predict(const Cuts& choice, const price::Placement& placement) const;
};

/// A task that may be priced already, and where it would run.
struct TaskToPrice {
    ModelPtr model;
    task::TaskSpec spec;
    price::NodePool pool;
    std::uint64_t cluster = 0;  ///< changes with `pool`
};

/// Makes `kept` the prices of that task, of which it keeps what it has; slow where model or task are new. Fails where
/// the task has no loss, where its constraints name nothing, and (unsupported) where what trains has other operators
/// than are shown, so that a cut on screen would be another one there.
Result<void> price_task(const TaskToPrice& task, std::unique_ptr<PricedTask>& kept);

}  // namespace divisi::model
