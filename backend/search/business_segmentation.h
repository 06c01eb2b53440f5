// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/plan/branches.h"
#include "backend/plan/training_graph.h"
#include "backend/search/node_chain.h"

namespace divisi::search {

/// Returns the nodes of the training graph that belong to a branch, ascending: its operators and its heads' losses.
std::vector<graph::NodeIndex> branch_nodes(const plan::Branch& branch, const plan::TrainingGraph& training);

/// Plans a business segmentation (draft-yang-dmsc-distributed-model-03, 6.2.5): a shared backbone, and one branch per
/// head.
///
/// keep_heads() orders the branches one after another, so such a plan is a choice of legal cuts: after the backbone,
/// between branches and inside the backbone. A segment combines only adjacent branches. The gradients that branches
/// return for a shared value are then added in the same order as in an unsplit model.
///
/// The first `shared_layers` layers of the backbone stay separate from the branches. The other layers of the backbone
/// join the first branch. With -1, all layers stay separate. If no number of stages is given, the backbone is one
/// segment and every branch is one segment. Otherwise there are `stages` segments, or the smallest number from
/// least_stages to most_stages that is as fast as any other. The cuts make the slowest stage or connection as fast as
/// possible (see plan_on_nodes()). The loss of a head counts as part of the segment that computes the head's output.
/// One stage means no cut. Fails (invalid_input) for a model without branches, and if `stages`, a stage bound or
/// `shared_layers` is out of range. Also fails as plan_on_nodes() does.
Result<LayerPlan> plan_branches(const LayerTask& task, const plan::BranchedModel& model,
                                const SegmentationRequest& request);

}  // namespace divisi::search
