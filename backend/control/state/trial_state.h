// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// Of a cluster what a plan is priced by, for a job that plays one beside the orchestrator's loop: nodes with their
/// prices and links, pools and the policies in force; no tasks, and nothing of what happened.
ClusterState state_for_trials(const ClusterState& state);

/// The nodes of a task's stages, by stage; empty names where an instance is not placed, at least `stages` of them.
std::vector<std::string> stage_nodes_of(const ClusterState& state, const TaskId& task, std::size_t stages = 0);

}  // namespace divisi::control::inline state
