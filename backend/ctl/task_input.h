// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/ctl/commands.h"
#include "backend/submit/submission.h"

namespace divisi::ctl {

using submit::TaskInput;

/// A task file with its settings.
Result<task::TaskSpec> read_spec(const TaskFileOptions& options);

/// The spec's model for a batch of what a task has trained ([model] from): exported to the user's data folder, with
/// that task's inputs and output where the spec names none. Others are left as they are.
Result<void> bring_trained(Session& session, task::TaskSpec& spec);

/// Puts the weights of the version that a training begins with ([model] from) into its model, fetched from the nodes,
/// and plans it anew. Others are left as they are. Fails as find_version() and submit::begin_with() do.
Result<void> bring_start(Session& session, TaskInput& input);

/// A task file's spec as read_task() takes it: its model loaded and the plan compiled.
Result<TaskInput> load_input(task::TaskSpec spec, const TaskFileOptions& options,
                             const task::CompileOptions& compile = {});

/// A task file read, its model loaded and the plan compiled, as every command on a task file needs it.
Result<TaskInput> read_task(const TaskFileOptions& options, const task::CompileOptions& compile = {});

/// An error of the task, such as "split.stages", with the line or the setting that wrote it.
Error as_written(Error error, const TaskFileOptions& options);

}  // namespace divisi::ctl
