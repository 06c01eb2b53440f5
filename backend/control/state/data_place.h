// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/state/state.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline state {

/// Returns whether any node can read the task's data. The data must not have been uploaded to particular nodes, and the
/// task file must not name a node that stores the data.
bool reads_anywhere(const TaskView& task, const task::TaskSpec& spec);

}  // namespace divisi::control::inline state
