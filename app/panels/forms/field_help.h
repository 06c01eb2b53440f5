// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

#include "app/model/wording/range_text.h"
#include "app/panels/forms/task_fields.h"

namespace divisi::panels {

/// Returns the help of a field in the program's language, with range and unit if the field is a number.
QString field_help(const TaskField& field);
/// Returns the range of a numeric field; null for other fields.
const model::Range* field_range(std::string_view key);

}  // namespace divisi::panels
