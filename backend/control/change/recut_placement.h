// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "backend/control/placement/placement.h"

namespace divisi::control::inline change {

/// Returns the node of each stage of a plan that replaces the plan of a running task, moving as few operators as
/// possible. A stage gets the first of these that it can use:
/// 1. the node that the task file names,
/// 2. the node of the old stage with most of its operators (if several new stages want it, the first gets it),
/// 3. another node of the task,
/// 4. a free node; last of all, a node that has only a standby of the task,
/// 5. a node that it shares with another stage.
///
/// The stage that reads the data stays where the data is. No stage stays on or moves to a drained node, even if the
/// task file names it. A stage that leaves a secure node moves to a secure one. No stage newly moves to an `unfit`
/// node.
///
/// Fails (unavailable) if a required node is not ready or has no room for another task, or if no node can take a stage
/// that leaves a drained one.
Result<std::vector<NodeId>> place_next_plan(const ClusterState& state, const NodeUse& use, const TaskView& task,
                                            const PlanSummary& plan, TimePoint now, std::set<NodeId> unfit = {});
/// Checks that these nodes can still run the stages; fails as place_next_plan(). On `held` nodes the task already has a
/// process for its stage, so that no other task can have taken the room.
Result<void> check_next_nodes(const ClusterState& state, const NodeUse& use, const TaskView& task,
                              const PlanSummary& plan, const std::vector<NodeId>& nodes, TimePoint now,
                              const std::set<NodeId>& held = {});
/// Returns whether a node can hold a stage of the next plan in addition to the stage that trains there. On CPUs,
/// unknown memory counts as enough. On other devices, the memory must be known and suffice. `granted`: number of other
/// stages of the next plan that were already given room there.
bool has_room_ahead(const ClusterState& state, const NodeUse& use, const PlanSummary& plan, const NodeId& node,
                    std::int64_t granted = 0);

}  // namespace divisi::control::inline change
