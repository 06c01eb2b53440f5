// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "backend/task/task_spec.h"

namespace divisi::model {

/// Changes the text of a task file only where `spec` differs from it: comments, blank lines and the order of sections
/// and keys stay. The result always parses to `spec`. A text that cannot be changed in place, because it is no task or
/// is written unusually, is printed anew.
std::string edited_task(std::string_view text, const task::TaskSpec& spec);

}  // namespace divisi::model
