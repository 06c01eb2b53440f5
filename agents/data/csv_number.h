// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace divisi::data {

/// Without the spaces and tabs at its ends.
std::string_view trim(std::string_view text);

/// What a field holds that should hold a number.
struct Number {
    enum class Kind {
        finite,
        not_finite,    ///< "nan", "inf"
        out_of_range,  ///< beyond float64
        none,          ///< no number
        empty,
    } kind = Kind::none;
    double value = 0;
};
/// A decimal number as C writes it, in the "C" locale; what is too small for float64 is 0.
Number parse_number(std::string_view text);

/// A whole number, also written as "3.0" or "3e0".
std::optional<std::int64_t> parse_whole(std::string_view text);

}  // namespace divisi::data
