// SPDX-License-Identifier: Apache-2.0
#include "backend/base/units.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace divisi {
namespace {

std::string scaled(double value, double step, const std::array<const char*, 6>& names) {
    std::size_t index = 0;
    while (std::abs(value) >= step && index + 1 < names.size()) {
        value /= step;
        ++index;
    }
    char text[48];
    const bool whole = index == 0 || std::abs(value) >= 100;
    std::snprintf(text, sizeof text, whole ? "%.0f %s" : "%.1f %s", value, names[index]);
    return text;
}

}  // namespace

std::string format_bytes(Bytes bytes) {
    return scaled(static_cast<double>(bytes), 1024.0, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string format_flops(Flops flops) {
    return scaled(flops, 1000.0, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"});
}

std::string format_duration_ms(double milliseconds) {
    char text[64];
    const double seconds = milliseconds / 1000.0;
    if (milliseconds > 0 && milliseconds < 0.9995) {
        std::snprintf(text, sizeof text, milliseconds < 0.00995 ? "%.1f us" : "%.0f us", 1000 * milliseconds);
    } else if (seconds < 1.0) {
        std::snprintf(text, sizeof text, milliseconds < 10 ? "%.1f ms" : "%.0f ms", milliseconds);
    } else if (seconds < 60.0) {
        std::snprintf(text, sizeof text, "%.1f s", seconds);
    } else if (seconds < 3600.0) {
        std::snprintf(text, sizeof text, "%d min %d s", static_cast<int>(seconds) / 60, static_cast<int>(seconds) % 60);
    } else {
        const auto minutes = static_cast<std::int64_t>(seconds) / 60;
        std::snprintf(text, sizeof text, "%lld h %lld min", static_cast<long long>(minutes / 60),
                      static_cast<long long>(minutes % 60));
    }
    return text;
}

}  // namespace divisi
