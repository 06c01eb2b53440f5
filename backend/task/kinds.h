// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "backend/base/result.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Refuses keys that have no meaning for a task of this kind. `written` lists the keys of the task file and its
/// settings as "section.key". A batch task trains nothing, and only a batch task has [batch]. The error's `where` is
/// the key.
Result<void> check_kind(const TaskSpec& spec, const std::set<std::string>& written);

/// Resets fields that have no meaning for a task of this kind to their defaults, so that they are not written to the
/// task file. A form calls this when the kind changes. A batch task has no zoo model.
void drop_of_other_kinds(TaskSpec& spec);

}  // namespace divisi::task
