// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

#include "app/model/wording/range_text.h"
#include "app/panels/forms/task_fields.h"

namespace divisi::panels {

/// Returns the editor's text for a value. read_text() restores the exact value. Elements of a list are separated by
/// commas; an empty element, or one with a comma, a quote, an equals sign or an outer space, is quoted.
QString text_of(const Slot& slot);
/// Parses an editor's text into a value. Returns false and changes nothing if the text is invalid.
bool read_text(const QString& text, const Slot& slot);
/// Returns whether parsing a text gives the current value.
bool reads_as(const QString& text, const TaskField& field, const task::TaskSpec& spec);

/// Returns the help of a field in the program's language, with range and unit if the field is a number.
QString field_help(const TaskField& field);
/// Returns the range of a numeric field; null for other fields.
const model::Range* field_range(std::string_view key);

}  // namespace divisi::panels
