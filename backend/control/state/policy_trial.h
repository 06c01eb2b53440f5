// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/state/state.h"
#include "backend/control/types/policy_types.h"

namespace divisi::control::inline state {

// A policy change that the step simulator tries before any device applies it.

/// Sent by operators to try settings as in SetPolicies. Applies nothing. Answered by PolicyTrial.
struct TryPolicies {
    using Answer = struct PolicyTrial;
    std::vector<std::string> settings;
};
/// The effect of the change on a running task, as far as the simulator can tell.
struct TriedTask {
    TaskId task;
    double measured_ms = 0;                 ///< median of the task's last steps; 0: no step done yet
    double before_ms = 0, after_ms = 0;     ///< predicted step times, before and after the change
    std::string before_paths, after_paths;  ///< routers of each path, as "sr-1 > sr-2"; empty: one MIC
    std::optional<Error> error;             ///< why the effect cannot be predicted
};
struct PolicyTrial {
    std::string change;  ///< "share:mg-1:mg-2=0 (was 100)"
    std::vector<TriedTask> tasks;
    std::vector<std::string> notes;  ///< parts of the change that the simulator does not simulate
};

/// A trial, which runs as a job outside the orchestrator's loop.
struct PolicyTrialJob {
    struct Task {
        TaskId id;
        std::string text, skeleton;
        std::vector<std::string> stage_nodes;
        std::string data_node;  ///< node of the data unit; empty: node of the first stage
        double measured_ms = 0;
    };
    std::string change;
    std::vector<PolicyEntry> entries;  ///< entries that the change would put in force
    ClusterState nodes;                ///< nodes, links and devices, with the policies in force; no tasks
    std::vector<Task> tasks;
    std::vector<std::string> notes;
};
/// Maximum number of tasks in one trial. Each task is compiled and simulated twice: without and with the change.
inline constexpr std::size_t most_tried_tasks = 32;

}  // namespace divisi::control::inline state
