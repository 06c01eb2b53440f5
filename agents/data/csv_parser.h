// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "agents/data/file.h"

namespace divisi::data {

/// Called for each record, with the line in which it begins (counted from 1). The fields are valid only during the
/// call.
using CsvRecord = std::function<Result<void>(std::int64_t line, std::span<const std::string_view> fields)>;

/// Reads comma-separated values as in RFC 4180. Fields in double quotes may contain commas, line ends and doubled
/// quotes. Lines end in LF or CRLF; a byte order mark and empty lines are skipped. The file is read once, in chunks.
///
/// Fails with `invalid_input`, naming the line, on an unclosed quote, text after a closing quote, or a zero byte. Also
/// fails if the file begins with a byte order mark of UTF-16 or UTF-32.
Result<void> parse_csv(const File& file, const CsvRecord& record);

}  // namespace divisi::data
