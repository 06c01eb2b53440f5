// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/graph/graph.h"
#include "backend/plan/blocks.h"
#include "backend/plan/branches.h"
#include "backend/plan/training_graph.h"
#include "backend/search/layer_methods.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

// What a task says about a model, held against that model with shapes inferred for one micro-batch.
// The `where` of every error is "section.key".

/// All of the checks below: names in [model.inputs] and frozen, the batch, the loss, the cuts.
Result<void> check_against_model(const TaskSpec& spec, const graph::Graph& model);

/// Every input of the model is fed, and none that it does not have; its first dimension, where known, is that of
/// a micro-batch.
Result<void> check_inputs(const TaskSpec& spec, const graph::Graph& model);

/// The model as the task trains it: frozen weights marked, and in a multi-task training only what the heads need,
/// ordered by branches; else as it is, without branches.
Result<plan::BranchedModel> trained_model(const TaskSpec& spec, const graph::Graph& model);

/// The trained model with the task's loss.
Result<plan::TrainingGraph> add_loss(const TaskSpec& spec, const graph::Graph& trained);

/// The pool itself or, where nothing is known of nodes, default_pool() with the names that the task gives.
price::NodePool known_pool(const TaskSpec& spec, const price::NodePool& pool);

/// The cuts that [split] asks for: those listed, those between the branches (business), or those that its method finds;
/// none for one stage. `cost` is of the training graph. Methods that need times take those of the pool, and say on
/// which of its nodes each stage is best; all keep pins, sensitive operators and the nodes of place.stages. A tabu
/// search ends (deadline) when `stop` says so.
Result<search::LayerPlan> choose_split(const TaskSpec& spec, const plan::BranchedModel& trained,
                                       const graph::CutList& cuts, const plan::TrainingGraph& training,
                                       const graph::GraphCost& cost, const price::NodePool& pool = {},
                                       const search::StopSearch& stop = {});

/// On which nodes of task.pool the stages of these cuts are best, with the constraints of the task file: choose_split()
/// and the console ask here. Fails as cut_constraints() and search::place_cuts() do.
Result<search::LayerPlan> place_layers(const TaskSpec& spec, search::LayerTask task,
                                       const plan::TrainingGraph& training, const plan::CutChoice& choice);

/// How far chosen cuts, with their stages as pool.wanted has them, are from the best contiguous ones for as many
/// stages. `model` as for choose_split().
Result<search::Distance> split_distance(const TaskSpec& spec, const graph::Graph& model, const plan::CutChoice& choice,
                                        const price::NodePool& pool = {});

/// The segments that [[split.segment]] lists, of the model with its loss.
Result<plan::Blocks> choose_blocks(const TaskSpec& spec, const plan::TrainingGraph& training);

}  // namespace divisi::task
