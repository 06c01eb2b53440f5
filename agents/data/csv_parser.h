// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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

/// Returns the text without spaces and tabs at its ends.
std::string_view trim(std::string_view text);

/// The result of parsing a field as a number.
struct Number {
    enum class Kind {
        finite,
        not_finite,    ///< the text is "nan" or "inf"
        out_of_range,  ///< the number is too large for float64
        none,          ///< the text is not a number
        empty,
    } kind = Kind::none;
    double value = 0;
};
/// Parses a decimal number as written in C, in the "C" locale. A value too small for float64 becomes 0.
Number parse_number(std::string_view text);

/// Parses a whole number, which may be written as "3.0" or "3e0"; none if the number is not whole.
std::optional<std::int64_t> parse_whole(std::string_view text);

}  // namespace divisi::data
