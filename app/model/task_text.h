// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

#include "backend/task/task_spec.h"

namespace divisi::model {

/// The text of a task file, changed only where `spec` says something else than it: comments, blank lines and the order
/// of sections and keys stay. Always parses to `spec`: a text that cannot be changed in place, since it is no task or
/// written in an unusual way, is printed anew.
std::string edited_task(std::string_view text, const task::TaskSpec& spec);

}  // namespace divisi::model
