// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace divisi::data {

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
