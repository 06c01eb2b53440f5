// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

namespace divisi::model {

/// Words for a kind of event, as control::kind_name() gives it; the name itself where there are none.
QString event_text(std::string_view kind);

}  // namespace divisi::model
