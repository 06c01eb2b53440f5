// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "backend/base/result.h"

namespace divisi {

struct Unit {
    std::string_view name;
    double factor;  ///< converts a number in this unit to seconds, or to bytes per second
};
inline constexpr Unit latency_units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
inline constexpr Unit bandwidth_units[] = {{"B/s", 1},
                                           {"kB/s", 1e3},
                                           {"MB/s", 1e6},
                                           {"GB/s", 1e9},
                                           {"TB/s", 1e12},
                                           {"KiB/s", 1024},
                                           {"MiB/s", 1024.0 * 1024},
                                           {"GiB/s", 1024.0 * 1024 * 1024},
                                           {"bit/s", 1 / 8.0},
                                           {"kbit/s", 1e3 / 8},
                                           {"Mbit/s", 1e6 / 8},
                                           {"Gbit/s", 1e9 / 8}};

/// Parses a number with one of the units, such as "0.2 ms" or "20MB/s". The `invalid_input` error says what is wrong,
/// but not where.
Result<double> parse_quantity(std::string_view written, std::span<const Unit> units);

}  // namespace divisi
