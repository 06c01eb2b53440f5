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
/// return for a shared value are then added in the same order as in the reference.
///
/// The first `shared_layers` of the backbone stay separate; its other layers join the first branch (-1: all stay
/// separate). If no number of stages is given, the backbone is one segment and every branch is one. Otherwise there are
/// `stages` segments, or the fewest from least_stages to most_stages that are as fast as any. They make the slowest
/// stage or connection as fast as possible (see plan_on_nodes()). A head's loss counts where its output is computed.
/// One stage means no cut.
///
/// Fails (invalid_input) for a model without branches and for excessive `stages`, stage bounds or `shared_layers`. Also
/// fails as plan_on_nodes() does.
Result<LayerPlan> plan_branches(const LayerTask& task, const plan::BranchedModel& model,
                                const SegmentationRequest& request);

}  // namespace divisi::search
