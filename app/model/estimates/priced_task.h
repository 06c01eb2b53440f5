// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "app/model/documents/graph_document.h"
#include "backend/plan/training_graph.h"
#include "backend/price/node_pool.h"
#include "backend/search/layer_methods.h"
#include "backend/task/task_spec.h"

namespace divisi::model {

/// Returns a text that is equal for two tasks if the same prices and found cuts apply to both. It leaves out the [task]
/// section, the task's own stages, cuts and segments, and the paths of its data.
std::string cache_key(task::TaskSpec spec);

/// A model as a task trains it, with the prices of its operators and the nodes on which it would run. Not thread-safe,
/// because price::Pricing is not. Not movable, because the prices refer to the graphs.
struct PricedTask {
    ModelPtr model;
    std::string task;    ///< cache_key() of the task file
    graph::Graph graph;  ///< the model's graph, with its frozen weights marked
    graph::CutList cuts;
    std::unique_ptr<plan::TrainingGraph> training;
    std::unique_ptr<graph::GraphCost> cost;
    std::unique_ptr<price::Pricing> pricing;
    price::TrainingSetup setup;
    std::int32_t data_instances = 0;  ///< number of data instances among which micro-batches are distributed
    price::NodePool pool;
    price::CutConstraints constraints;
    std::uint64_t cluster = 0;

    search::LayerTask layers() const {
        return {graph, cuts, *pricing, pool, constraints, setup, {}, {}, data_instances};
    }
    /// Returns the nodes on which the stages of these cuts would run. Cuts that violate the constraints get a placement
    /// and a price too.
    price::Placement place(const Cuts& choice) const;
    /// Predicts by full simulation.
    Result<price::Prediction> predict(const Cuts& choice, const price::Placement& placement) const;
};

/// A task to price, and the nodes on which it would run.
struct TaskToPrice {
    ModelPtr model;
    task::TaskSpec spec;
    price::NodePool pool;
    std::uint64_t cluster = 0;  ///< number of the cluster state; changes with `pool`
};

/// Updates `kept` to the prices of the task, reusing everything that still applies; slow for a new model or task. Fails
/// if the task has no loss, or if its constraints match nothing. Fails with `unsupported` if the trained graph has
/// other operators than the shown model, because the same cut would then divide other operators.
Result<void> price_task(const TaskToPrice& task, std::unique_ptr<PricedTask>& kept);

}  // namespace divisi::model
