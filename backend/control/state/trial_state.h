// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// Returns the part of a cluster's state that determines the cost of a plan, for a job outside the orchestrator's loop.
/// This part has the nodes with their prices and links, the pools and the policies in force, but no tasks and no
/// history.
ClusterState state_for_trials(const ClusterState& state);

/// Returns the nodes of a task's stages, by stage. The result has at least `stages` names; a stage without an instance
/// has an empty name.
std::vector<std::string> stage_nodes_of(const ClusterState& state, const TaskId& task, std::size_t stages = 0);

}  // namespace divisi::control::inline state
