// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "backend/control/placement/placement.h"

namespace divisi::control::inline change {

/// Where the stages of a plan run that follows another one of a task which runs, so that as few operators move as may
/// be: a stage goes to the node that the task file names, else to the node of the old stage that has most of its
/// operators (of several such stages the first gets it), else to another node of the task, else to one that is free
/// (at last one that has nothing but a standby of the task), and where there is none two stages share a node. The stage
/// that reads the data stays with them. Nothing stays on a node that is drained, or goes there, whatever the task file
/// names; what leaves a secure one goes to secure ones. No stage comes new to an `unfit` one.
/// Fails (unavailable) where a node that must be is not ready, or has no room for another task, and where no node can
/// take what leaves a drained one.
Result<std::vector<NodeId>> place_next_plan(const ClusterState& state, const NodeUse& use, const TaskView& task,
                                            const PlanSummary& plan, TimePoint now, std::set<NodeId> unfit = {});
/// Whether these nodes can still run them; fails likewise. On the `held` ones the task has a process for its stage
/// already, so that nobody else has got their room.
Result<void> check_next_nodes(const ClusterState& state, const NodeUse& use, const TaskView& task,
                              const PlanSummary& plan, const std::vector<NodeId>& nodes, TimePoint now,
                              const std::set<NodeId>& held = {});
/// Whether a node whose stage trains can hold, beside what that takes, what the stage of the next plan takes: as far as
/// anybody has told what it has and what a stage needs, and on a device of its own where that is surely enough.
/// `granted`: to how many other stages of that plan there.
bool has_room_ahead(const ClusterState& state, const NodeUse& use, const PlanSummary& plan, const NodeId& node,
                    std::int64_t granted = 0);

}  // namespace divisi::control::inline change
