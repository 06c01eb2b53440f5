// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace divisi {

using Bytes = std::int64_t;  ///< a size in bytes
using Flops = double;        ///< a count of floating-point operations (a multiply-add counts two)

/// "1.5 MiB"; binary prefixes, one decimal from 10 KiB down.
std::string format_bytes(Bytes bytes);
/// "2.1 GFLOP"; decimal prefixes.
std::string format_flops(Flops flops);
/// "3 min 20 s", "4.2 s", "12 ms": what fits a status line.
std::string format_duration_ms(double milliseconds);

}  // namespace divisi
