// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/clock.h"
#include "backend/base/result.h"

namespace divisi::ctl {

/// Parses "90s", "30m", "2h", "7d"; returns seconds. Fails (invalid_input) on anything else, including an empty text.
Result<std::int64_t> parse_seconds(const std::string& text);

/// Parses "+2h" (from `now`) or "2026-11-22 21:30" in this machine's time zone. Fails (invalid_input) on anything else.
Result<TimePoint> parse_time(const std::string& text, TimePoint now);

}  // namespace divisi::ctl
