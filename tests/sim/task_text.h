// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/task/checkpoint_rule.h"

namespace divisi::sim {

/// Of the model of a task file, which can be cut after each but the last. A task of one line has one for each stage.
inline constexpr std::int32_t file_operators = 4;

/// What the text of a simulated task says: "name stages steps", or a task file where it is to survive faults, since the
/// orchestrator reads there on which nodes it can go on.
struct TaskText {
    std::string name;
    std::vector<std::int32_t> begins = {0};  ///< the first operator of each stage
    std::int32_t operators = 1;
    std::int64_t steps = 1;
    task::CheckpointRule checkpoint;
    task::FaultAnswer answer = task::FaultAnswer::fail;

    std::int32_t stages() const { return static_cast<std::int32_t>(begins.size()); }
    /// Behind the last operator of a stage.
    std::int32_t end(std::int32_t stage) const;
    /// The operators that the cuts follow.
    std::vector<std::string> cuts() const;
    /// Of its plan: the same for all texts that say the same cuts.
    std::string plan_hash() const;
    /// Of each stage, the stages of `before` that have its operators, the one that has most first.
    std::vector<std::vector<std::int32_t>> inherits(const TaskText& before) const;
};

/// `invalid_input` for a task file that is none, or cuts that the model does not have.
Result<TaskText> read_task(const std::string& text);
/// What a cut that follows this operator is called.
std::string cut_after(std::int32_t op);
/// A task file. It makes a checkpoint after so many steps each time; 0: never.
std::string task_file(const std::string& name, std::size_t stages, std::size_t steps, std::size_t every);

}  // namespace divisi::sim
