// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/base/result.h"

namespace divisi {

// Comma-separated values according to RFC 4180.

/// Formats the fields as one line without its line break. Fields with a comma, a quote or a line break are quoted.
std::string csv_line(const std::vector<std::string>& fields);

/// Returns the records of a text whose lines end with CR LF or LF. Fails with `invalid_input` if a quoted field does
/// not end or is followed by text, or if a quote begins within an unquoted field. `where` is the text's name in errors.
Result<std::vector<std::vector<std::string>>> parse_csv(std::string_view text, const std::string& where);

}  // namespace divisi
