// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

namespace divisi::model {

/// Returns a text for a kind of event from control::kind_name(); the kind itself if there is no text.
QString event_text(std::string_view kind);

}  // namespace divisi::model
