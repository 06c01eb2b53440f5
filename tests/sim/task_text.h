// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/task/checkpoint_rule.h"

namespace divisi::sim {

/// Number of operators of the model in a task file. The model can be cut after each operator except the last. A task
/// whose text is one line has one operator for each stage.
inline constexpr std::int32_t file_operators = 4;

/// The parsed text of a simulated task. The text is "name stages steps", or a task file if the task must survive
/// faults. From a task file, the orchestrator learns on which nodes the task can continue.
struct TaskText {
    std::string name;
    std::vector<std::int32_t> begins = {0};  ///< the first operator of each stage
    std::int32_t operators = 1;
    std::int64_t steps = 1;
    task::CheckpointRule checkpoint;
    task::FaultAnswer answer = task::FaultAnswer::fail;

    std::int32_t stages() const { return static_cast<std::int32_t>(begins.size()); }
    /// Returns the operator after the last one of a stage.
    std::int32_t end(std::int32_t stage) const;
    /// Returns the names of the operators that the cuts follow.
    std::vector<std::string> cuts() const;
    /// Returns the hash of the task's plan, which is equal for all texts with equal cuts.
    std::string plan_hash() const;
    /// Returns for each stage the stages of `before` that held its operators, largest share first.
    std::vector<std::vector<std::int32_t>> inherits(const TaskText& before) const;
};

/// Parses a task's text. Fails with `invalid_input` if a task file is malformed or names cuts that do not exist in the
/// model.
Result<TaskText> read_task(const std::string& text);
/// Returns the name of the cut after this operator.
std::string cut_after(std::int32_t op);
/// Returns a task file that makes a checkpoint every `every` steps; 0: never.
std::string task_file(const std::string& name, std::size_t stages, std::size_t steps, std::size_t every);

}  // namespace divisi::sim
