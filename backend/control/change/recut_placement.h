// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "backend/control/placement/placement.h"

namespace divisi::control::inline change {

/// Returns the node of each stage of a plan that replaces the plan of a running task, moving as few operators as
/// possible. A stage gets the first usable node of this list:
/// 1. the node that the task file names,
/// 2. the node of the old stage with most of the stage's operators (if several stages want it, the first gets it),
/// 3. another node of the task,
/// 4. a free node; last of all, a node that has only a standby of the task,
/// 5. a node that already runs another stage.
///
/// The stage that reads the data stays on the node that has the data. No stage stays on or moves to a drained node,
/// even if the task file names it. A stage that leaves a drained secure node moves to a secure one. Choice 4 leaves out
/// `unfit` nodes; so does choice 5 for a stage that leaves a drained node.
/// Fails (unavailable) if a required node is not ready or has no room for another task. Also fails if a stage must
/// leave a drained node and no other node can take it.
Result<std::vector<NodeId>> place_next_plan(const ClusterState& state, const NodeUse& use, const TaskView& task,
                                            const PlanSummary& plan, TimePoint now, std::set<NodeId> unfit = {});
/// Checks that these nodes can still run the stages; fails as place_next_plan() does. On the `held` nodes the task
/// already has a process for its stage, so no other task can have taken that room.
Result<void> check_next_nodes(const ClusterState& state, const NodeUse& use, const TaskView& task,
                              const PlanSummary& plan, const std::vector<NodeId>& nodes, TimePoint now,
                              const std::set<NodeId>& held = {});
/// Returns whether a node can hold a stage of the next plan in addition to the stage that trains there now. On CPUs,
/// unknown memory counts as enough. On other devices, the memory must be known and suffice. `granted`: number of other
/// stages of the next plan for which the node has already promised room.
bool has_room_ahead(const ClusterState& state, const NodeUse& use, const PlanSummary& plan, const NodeId& node,
                    std::int64_t granted = 0);

}  // namespace divisi::control::inline change
