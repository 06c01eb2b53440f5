// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/client/client.h"

namespace divisi::model {

// What runs of the plan in force, and what it reports. A task's state has instances of earlier plans too, and those
// that a recovery replaced: they count for nothing here.

/// Steps at the start of a run that do not count: files are read and caches filled.
inline constexpr std::int64_t warm_up_steps = 2;

/// The node of each stage, as it was put; empty for a stage that nobody runs yet.
std::vector<std::string> stage_nodes(const control::ClusterState& cluster, const TaskId& task);

/// What the instances of a stage say of themselves, over the steps that count.
struct StageLoad {
    double busy_share = 0, wait_share = 0;  ///< of wall time, 0 to 1; the mean
    Bytes sent = 0;                         ///< in a step
    Bytes memory = 0;                       ///< at its peak
    int samples = 0;                        ///< 0: no shares are known
};
StageLoad stage_load(const client::ClusterData& cluster, const control::TaskView& task, std::int32_t stage);

/// Whether a figure of that generation was measured under the plan in force.
inline bool is_of_plan(const control::TaskView& task, Generation generation) { return generation >= task.plan_since; }

}  // namespace divisi::model
