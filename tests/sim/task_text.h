// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/task/checkpoint_rule.h"

namespace divisi::sim {

/// What the text of a simulated task says: "name stages steps", or a task file where it is to survive faults, since the
/// orchestrator reads there on which nodes it can go on.
struct TaskText {
    std::string name;
    std::int32_t stages = 1;
    std::int64_t steps = 1;
    task::CheckpointRule checkpoint;
    task::FaultAnswer answer = task::FaultAnswer::fail;
};

Result<TaskText> read_task(const std::string& text);
/// A task file. It makes a checkpoint after so many steps each time; 0: never.
std::string task_file(const std::string& name, std::size_t stages, std::size_t steps, std::size_t every);

}  // namespace divisi::sim
