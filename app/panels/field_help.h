// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

#include "app/model/range_text.h"
#include "app/panels/task_fields.h"

namespace divisi::panels {

/// A word of help for a field, and of a number which values it takes, with their unit: in the program's language.
QString field_help(const TaskField& field);
/// Of a number; null of others.
const model::Range* field_range(std::string_view key);

}  // namespace divisi::panels
