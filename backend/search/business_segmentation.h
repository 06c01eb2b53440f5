// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/plan/branches.h"
#include "backend/plan/training_graph.h"
#include "backend/search/node_chain.h"

namespace divisi::search {

/// Nodes of the training graph that belong to a branch, ascending: its operators and its heads' losses.
std::vector<graph::NodeIndex> branch_nodes(const plan::Branch& branch, const plan::TrainingGraph& training);

/// Business segmentation (draft-yang-dmsc-distributed-model-03, 6.2.5): a shared backbone, and one branch per head.
///
/// keep_heads() puts branch behind branch, so such a plan is a choice of cuts: one behind the backbone, others between
/// branches and inside the backbone, at legal cuts. Only branches that stand side by side are packed into one segment:
/// the gradients that the branches send back for a shared value are then added in the reference's order.
///
/// `shared_layers` of the backbone stay by themselves; what it has beyond them goes with the first branch (-1: all
/// stay). Without a number of stages the backbone is one segment and every branch is one; else there are `stages` of
/// them, or the fewest of least_stages to most_stages that are as fast as any, such that the slowest stage or
/// connection is as fast as can be (see plan_on_nodes()), a head's loss counted where its output is made. One
/// stage: no cut.
/// Fails (invalid_input) for a model without branches and when `stages`, a bound of them or `shared_layers` ask for too
/// much, and as plan_on_nodes() does.
Result<LayerPlan> plan_branches(const LayerTask& task, const plan::BranchedModel& model,
                                const SegmentationRequest& request);

}  // namespace divisi::search
