// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <string_view>

namespace divisi::model {

/// What control::describe() says of an event of this kind (control::kind_name()), in the program's language; as it was
/// said where nothing fits. Names and figures stay as they are.
QString event_line(std::string_view kind, const std::string& text);

}  // namespace divisi::model
