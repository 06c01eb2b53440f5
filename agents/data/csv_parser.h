// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "agents/data/file.h"

namespace divisi::data {

/// Called per record with the line on which it begins (from 1). The fields live until the call returns.
using CsvRecord = std::function<Result<void>(std::int64_t line, std::span<const std::string_view> fields)>;

/// Reads comma-separated values after RFC 4180: fields in double quotes may hold commas, line ends and doubled
/// quotes; lines end in LF or CRLF; a byte order mark and empty lines are skipped. Reads the file once, in
/// chunks. Fails with `invalid_input`, naming the line, on an unclosed quote or text behind a closing one, and
/// where the file is no text of one byte a character: UTF-16, UTF-32, zero bytes.
Result<void> parse_csv(const File& file, const CsvRecord& record);

}  // namespace divisi::data
