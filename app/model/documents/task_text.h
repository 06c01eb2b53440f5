// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "backend/task/task_spec.h"

namespace divisi::model {

/// Changes the text of a task file only where `spec` differs from it: comments, blank lines and the order of sections
/// and keys are kept. The result always parses to `spec`. If the text cannot be changed in place, because it is not a
/// task or has an unusual form, the whole task is printed from `spec`.
std::string edited_task(std::string_view text, const task::TaskSpec& spec);

}  // namespace divisi::model
