// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/control/message.h"
#include "backend/ctl/commands.h"
#include "backend/task/compile.h"

namespace divisi::ctl {

/// A task file read, its model loaded and the plan compiled, as every command on a task file needs it.
struct TaskInput {
    task::TaskSpec spec;
    std::string folder;  ///< of the task file, absolute
    graph::Graph model;
    task::CompiledPlan plan;
};
Result<TaskInput> read_task(const TaskFileOptions& options);

/// What is submitted: the effective task file, the model's skeleton, and the files by path. Weights of an
/// imported model are written beside the cluster's data, in `folder`/<name>.weights.
Result<control::SubmitTask> submission(const TaskInput& input, const std::filesystem::path& weights_folder);

}  // namespace divisi::ctl
