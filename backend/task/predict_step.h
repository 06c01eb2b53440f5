// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/price/node_pool.h"
#include "backend/price/predict.h"
#include "backend/task/compile.h"
#include "backend/task/priced_plan.h"

namespace divisi::task {

/// Returns the task's training settings in the form that the cost model needs.
price::TrainingSetup training_setup(const TaskSpec& spec);

/// Returns a placement for prices without a known cluster or profile. Every stage has the task's device and threads and
/// its own host, with default rates and links. Each data instance is separate, and so is the data unit if the task
/// requests it.
price::Placement default_placement(const CompiledPlan& compiled);

/// Predicts a step of a compiled plan. divisictl, the orchestrator and the console all call this function, so that they
/// show the same figures. Fails as price::predict() does.
Result<price::Prediction> predict_step(const CompiledPlan& compiled, const price::Placement& placement,
                                       const price::SimulateOptions& options = {});

/// Prices a compiled plan on the nodes that it was compiled for. `model` is the graph it was compiled from. For layer
/// plans, the lower bound is the price of the best contiguous cuts; for other plans, it is an even share of the work.
/// Fails as predict_step() and split_distance() do. Also fails under the conditions of sent_text(), so that every
/// displayed plan can be run.
Result<PricedPlan> price_plan(const CompiledPlan& compiled, const graph::Graph& model, const price::NodePool& devices);

}  // namespace divisi::task
