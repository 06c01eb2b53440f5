// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/state/state.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline state {

/// Whether a node needs nothing of its own to read the task's data: they were not brought to some nodes alone, and the
/// task file does not say on which node they lie.
bool reads_anywhere(const TaskView& task, const task::TaskSpec& spec);

}  // namespace divisi::control::inline state
