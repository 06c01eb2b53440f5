// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include "backend/base/result.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/graph/graph.h"
#include "backend/plan/blocks.h"
#include "backend/plan/branches.h"
#include "backend/plan/layer_methods.h"
#include "backend/plan/training_graph.h"
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

/// Where plans of so many stages would run. Empty: the default rates of the task's device, each stage on a host of
/// its own (plan::default_placement).
using PlacementOf = std::function<plan::Placement(std::int32_t stages)>;

/// The cuts that [split] asks for: those listed, those between the branches (business), or those that its method finds;
/// none for one stage. `cost` is of the training graph. Methods that need times take those of `devices`.
Result<plan::LayerPlan> choose_split(const TaskSpec& spec, const plan::BranchedModel& trained,
                                     const graph::CutList& cuts, const plan::TrainingGraph& training,
                                     const graph::GraphCost& cost, const PlacementOf& devices = {});

/// How far chosen cuts are from the best contiguous ones for as many stages, by the times of `devices`. `model` as
/// for choose_split().
Result<plan::Distance> split_distance(const TaskSpec& spec, const graph::Graph& model, const plan::CutChoice& choice,
                                      const PlacementOf& devices = {});

/// The segments that [[split.segment]] lists, of the model with its loss.
Result<plan::Blocks> choose_blocks(const TaskSpec& spec, const plan::TrainingGraph& training);

}  // namespace divisi::task
