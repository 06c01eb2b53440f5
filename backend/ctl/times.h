// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/clock.h"
#include "backend/base/result.h"

namespace divisi::ctl {

/// "90s", "30m", "2h", "7d" in seconds. Fails (invalid_input) on anything else, and on none.
Result<std::int64_t> parse_seconds(const std::string& text);

/// "+2h" from `now`, or "2026-11-22 21:30" of this machine's zone. Fails (invalid_input) on anything else.
Result<TimePoint> parse_time(const std::string& text, TimePoint now);

}  // namespace divisi::ctl
