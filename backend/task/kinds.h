// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "backend/base/result.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Refuses keys that mean nothing for a task of this kind: `written` are those of the task file and its settings, as
/// "section.key". A batch trains nothing, and only a batch has [batch]. The error's `where` is the key.
Result<void> check_kind(const TaskSpec& spec, const std::set<std::string>& written);

/// Sets what means nothing for a task of this kind to its default, so that it is not written: what a form does where
/// the kind is changed. A batch has no model of the zoo.
void drop_of_other_kinds(TaskSpec& spec);

}  // namespace divisi::task
