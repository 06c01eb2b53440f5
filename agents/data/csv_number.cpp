// SPDX-License-Identifier: Apache-2.0
#include "agents/data/csv_number.h"

#include <charconv>
#include <cmath>

namespace divisi::data {
namespace {

/// From this value on, float64 cannot represent every whole number.
constexpr double most_whole = 9007199254740992.0;

std::string_view digits_of(std::string_view text) {
    text = trim(text);
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    return text;
}

template <typename T>
std::from_chars_result read(std::string_view text, T& value) {
    return std::from_chars(text.data(), text.data() + text.size(), value);
}

}  // namespace

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

Number parse_number(std::string_view text) {
    using Kind = Number::Kind;
    text = digits_of(text);
    if (text.empty()) return {Kind::empty, 0};
    double value = 0;
    const auto [end, error] = read(text, value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) return {Kind::none, 0};
    if (error == std::errc::result_out_of_range) {
        // from_chars reports too large and too small values with the same error; a wider type distinguishes them.
        long double wide = 0;
        const bool tiny = read(text, wide).ec == std::errc{} && std::fabs(wide) < 1.0L;
        return {tiny ? Kind::finite : Kind::out_of_range, 0};
    }
    return {std::isfinite(value) ? Kind::finite : Kind::not_finite, value};
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
    text = digits_of(text);
    std::int64_t whole = 0;
    if (const auto [end, error] = read(text, whole); error == std::errc{} && end == text.data() + text.size())
        return whole;
    const Number number = parse_number(text);
    if (number.kind != Number::Kind::finite || std::fabs(number.value) >= most_whole ||
        std::trunc(number.value) != number.value)
        return std::nullopt;
    return static_cast<std::int64_t>(number.value);
}

}  // namespace divisi::data
