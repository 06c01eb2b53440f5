// SPDX-License-Identifier: Apache-2.0
#include "backend/base/quantity.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "backend/base/error_texts.h"

namespace divisi {

Result<double> parse_quantity(std::string_view written, std::span<const Unit> units) {
    double number = 0;
    const char* const end = written.data() + written.size();
    const auto [rest, code] = std::from_chars(written.data(), end, number);
    if (code != std::errc()) return make_error(base_error_text("no-number-with-unit"), "");
    const std::size_t space = rest != end && *rest == ' ' ? 1 : 0;
    const std::string_view unit(rest + space, static_cast<std::size_t>(end - rest) - space);
    const auto known = std::ranges::find(units, unit, &Unit::name);
    if (known == units.end()) return make_error(base_error_text("unit-of-other-kind"), "");
    return number * known->factor;
}

}  // namespace divisi
