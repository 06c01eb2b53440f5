// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/client/client.h"

namespace divisi::model {

// Returns what runs under the plan in force, and its reports. A task's state also contains instances of earlier plans,
// and instances replaced by a recovery; these are ignored here.

/// Number of initial steps that are ignored, as files are read and caches filled.
inline constexpr std::int64_t warm_up_steps = 2;

/// Returns the node of each stage, as placed; empty for a stage without an instance yet.
std::vector<std::string> stage_nodes(const control::ClusterState& cluster, const TaskId& task);

/// The reports of a stage's instances, over the counted steps.
struct StageLoad {
    double busy_share = 0, wait_share = 0;  ///< mean share of wall time, 0 to 1
    Bytes sent = 0;                         ///< bytes sent per step
    Bytes memory = 0;                       ///< peak
    int samples = 0;                        ///< 0: no shares are known
};
StageLoad stage_load(const client::ClusterData& cluster, const control::TaskView& task, std::int32_t stage);

/// Returns whether a figure of that generation was measured under the plan in force.
inline bool is_of_plan(const control::TaskView& task, Generation generation) { return generation >= task.plan_since; }

}  // namespace divisi::model
