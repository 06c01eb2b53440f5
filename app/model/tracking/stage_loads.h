// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/client/client.h"

namespace divisi::model {

// Functions about the instances of the current plan and their reports. A task's state also contains instances of
// earlier plans, and instances that a recovery has replaced; these functions ignore such instances.

/// Number of initial steps that are ignored, because they are slow while files are read and caches are filled.
inline constexpr std::int64_t warm_up_steps = 2;

/// Returns the node of each stage, as placed; empty for a stage without an instance yet.
std::vector<std::string> stage_nodes(const control::ClusterState& cluster, const TaskId& task);

/// Figures from the reports of a stage's instances, without the initial steps.
struct StageLoad {
    double busy_share = 0, wait_share = 0;  ///< mean share of wall time, 0 to 1
    Bytes sent = 0;                         ///< bytes sent per step
    Bytes memory = 0;                       ///< peak memory
    int samples = 0;                        ///< number of samples; 0: no shares are known
};
StageLoad stage_load(const client::ClusterData& cluster, const control::TaskView& task, std::int32_t stage);

/// Returns whether a figure of that generation was measured under the current plan.
inline bool is_of_plan(const control::TaskView& task, Generation generation) { return generation >= task.plan_since; }

}  // namespace divisi::model
