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

// Checks of a task against its model, with shapes inferred for one micro-batch. The `where` of every error is
// "section.key".

/// Runs all checks below: names in [model.inputs] and frozen, the batch, the loss, the cuts.
Result<void> check_against_model(const TaskSpec& spec, const graph::Graph& model);

/// Checks that every input of the model is fed, and that no unknown input is named. The first dimension of each input,
/// if known, must be the size of a micro-batch.
Result<void> check_inputs(const TaskSpec& spec, const graph::Graph& model);

/// Returns the model as the task trains it, with frozen weights marked. In a multi-task training it has only the parts
/// that the heads need, ordered by branches. Otherwise it is complete and has no branches.
Result<plan::BranchedModel> trained_model(const TaskSpec& spec, const graph::Graph& model);

/// Returns the trained model with the task's loss.
Result<plan::TrainingGraph> add_loss(const TaskSpec& spec, const graph::Graph& trained);

/// Returns the pool itself or, if no nodes are known, default_pool() with the names that the task uses.
price::NodePool known_pool(const TaskSpec& spec, const price::NodePool& pool);

/// Returns the cuts that [split] requests: the listed cuts, the cuts between branches (business), or the cuts found by
/// its method. With one stage, there are no cuts. `cost` is the cost of the training graph. Methods that need times use
/// the times of the pool and also choose its best nodes for the stages. All methods respect pins, sensitive operators
/// and the nodes of place.stages. A tabu search fails with deadline if `stop` returns true.
Result<search::LayerPlan> choose_split(const TaskSpec& spec, const plan::BranchedModel& trained,
                                       const graph::CutList& cuts, const plan::TrainingGraph& training,
                                       const graph::GraphCost& cost, const price::NodePool& pool = {},
                                       const search::StopSearch& stop = {});

/// Returns the best nodes of task.pool for the stages of these cuts, under the constraints of the task file. Used by
/// choose_split() and the console. Fails as cut_constraints() and search::place_cuts() do.
Result<search::LayerPlan> place_layers(const TaskSpec& spec, search::LayerTask task,
                                       const plan::TrainingGraph& training, const plan::CutChoice& choice);

/// Compares chosen cuts, with their stages on the nodes of pool.wanted, with the best contiguous cuts for the same
/// number of stages. `model` must be as for choose_split().
Result<search::Distance> split_distance(const TaskSpec& spec, const graph::Graph& model, const plan::CutChoice& choice,
                                        const price::NodePool& pool = {});

/// Returns the segments that [[split.segment]] lists, for the model with its loss.
Result<plan::Blocks> choose_blocks(const TaskSpec& spec, const plan::TrainingGraph& training);

}  // namespace divisi::task
