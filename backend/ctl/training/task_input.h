// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/ctl/terminal/commands.h"
#include "backend/submit/submission.h"

namespace divisi::ctl {

using submit::TaskInput;

/// Reads a task file and applies the settings.
Result<task::TaskSpec> read_spec(const TaskFileOptions& options);

/// Prepares a batch that uses a trained model ([model] from). Exports this model to the user's data folder and sets the
/// model of the spec to the exported file. Inputs and output default to the values of the task that trained the model.
/// Leaves any other spec unchanged.
Result<void> bring_trained(Session& session, task::TaskSpec& spec);

/// Prepares a training task that starts from a version ([model] from): fetches the version's weights from the nodes,
/// puts them into the model, and plans again. Leaves any other input unchanged. Fails as find_version() and
/// submit::begin_with() do.
Result<void> bring_start(Session& session, TaskInput& input);

/// Loads the spec's model and compiles the plan, as read_task() does.
Result<TaskInput> load_input(task::TaskSpec spec, const TaskFileOptions& options,
                             const task::CompileOptions& compile = {});

/// Reads a task file, loads its model and compiles the plan. Every command on a task file calls this function first.
Result<TaskInput> read_task(const TaskFileOptions& options, const task::CompileOptions& compile = {});

/// Adds to an error about a field of the task file, such as "split.stages", the line or setting that sets the field.
Error as_written(Error error, const TaskFileOptions& options);

}  // namespace divisi::ctl
