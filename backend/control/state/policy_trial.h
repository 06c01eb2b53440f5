// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/state/state.h"
#include "backend/control/types/policy_types.h"

namespace divisi::control::inline state {

// A change of policy that is played through the step simulator before anybody applies it.

/// From operators: settings as SetPolicies has them. Applies nothing. Answered by PolicyTrial.
struct TryPolicies {
    std::vector<std::string> settings;
};
/// What the change does to a task that runs, as far as the simulator knows it.
struct TriedTask {
    TaskId task;
    double measured_ms = 0;                 ///< median of its last steps; 0: it has done none
    double before_ms = 0, after_ms = 0;     ///< predicted
    std::string before_paths, after_paths;  ///< "sr-1 > sr-2", of each pair of its MICs; empty: it stays in one
    std::optional<Error> error;             ///< why nothing can be said of it
};
struct PolicyTrial {
    std::string change;  ///< "share:mg-1:mg-2=0 (was 100)"
    std::vector<TriedTask> tasks;
    std::vector<std::string> notes;  ///< what of the change the simulator does not play
};

/// Such a change as a job beside the orchestrator's loop.
struct PolicyTrialJob {
    struct Task {
        TaskId id;
        std::string text, skeleton;
        std::vector<std::string> stage_nodes;
        std::string data_node;  ///< empty: with the first stage
        double measured_ms = 0;
    };
    std::string change;
    std::vector<PolicyEntry> entries;  ///< that would be in force
    ClusterState nodes;                ///< nodes, links and devices, with the policies in force; no tasks
    std::vector<Task> tasks;
    std::vector<std::string> notes;
};
/// Tasks that one trial plays at most: each is compiled and simulated twice.
inline constexpr std::size_t most_tried_tasks = 32;

}  // namespace divisi::control::inline state
