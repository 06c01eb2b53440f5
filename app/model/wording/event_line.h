// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <string_view>

namespace divisi::model {

/// Translates a line of control::describe() about an event of this kind (control::kind_name()) into the program's
/// language. Returns an unknown line unchanged. Names and figures are kept.
QString event_line(std::string_view kind, const std::string& text);

/// Returns a text for a kind of event from control::kind_name(); the kind itself if there is no text.
QString event_text(std::string_view kind);

}  // namespace divisi::model
