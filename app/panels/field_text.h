// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "app/panels/task_fields.h"

namespace divisi::panels {

/// What an editor shows for a value: read_text() of it is the value again, to the last digit. Parts of a list stand
/// between commas; a part with a comma, a quote, an equals sign or a space at its end stands in quotes.
QString text_of(const Slot& slot);
/// Reads an editor's text into a value; false, and nothing is changed, where it cannot be read as one.
bool read_text(const QString& text, const Slot& slot);
/// Whether a text stands for the value that is there.
bool reads_as(const QString& text, const TaskField& field, const task::TaskSpec& spec);

}  // namespace divisi::panels
