// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"

namespace divisi {

// Comma-separated values as RFC 4180 has them.

/// The fields as one line, without its line break; those with a comma, a quote or a line break are quoted.
std::string csv_line(const std::vector<std::string>& fields);

/// The records of a text, whose lines end with CR LF or LF. `invalid_input` for a quote that does not end, or that
/// begins within a field; `where` names the text in messages.
Result<std::vector<std::vector<std::string>>> parse_csv(std::string_view text, const std::string& where);

}  // namespace divisi
