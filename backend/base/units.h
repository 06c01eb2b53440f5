// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace divisi {

using Bytes = std::int64_t;  ///< a size in bytes
using Flops = double;        ///< a count of floating-point operations (a multiply-add counts as two)

/// Formats a size as "1.5 MiB": binary prefixes, with one decimal place from 1 KiB up if the number is below 100.
std::string format_bytes(Bytes bytes);
/// Formats an operation count as "2.1 GFLOP", with decimal prefixes.
std::string format_flops(Flops flops);
/// Formats a duration for a status line: "3 min 20 s", "4.2 s", "12 ms".
std::string format_duration_ms(double milliseconds);

}  // namespace divisi
