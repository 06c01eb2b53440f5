// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/graph/graph.h"
#include "backend/plan/blocks.h"
#include "backend/plan/segmentation.h"
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

/// The model with its frozen weights marked.
Result<graph::Graph> freeze(const TaskSpec& spec, graph::Graph model);

/// The model with the task's loss.
Result<plan::TrainingGraph> add_loss(const TaskSpec& spec, const graph::Graph& model);

/// The cuts that [split] asks for: those listed, or for `stages` those of equal FLOPs; none for one stage.
Result<plan::CutChoice> choose_split(const TaskSpec& spec, const graph::Graph& model, const graph::CutList& cuts,
                                     const graph::GraphCost& cost);

/// The segments that [[split.segment]] lists, of the model with its loss.
Result<plan::Blocks> choose_blocks(const TaskSpec& spec, const plan::TrainingGraph& training);

}  // namespace divisi::task
