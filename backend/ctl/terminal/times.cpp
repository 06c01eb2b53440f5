// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/terminal/times.h"

#include <charconv>
#include <ctime>

namespace divisi::ctl {
namespace {

constexpr std::int64_t most_seconds = std::int64_t{100} * 366 * 24 * 3600;  // 100 years; fits 64-bit nanoseconds

std::int64_t factor_of(std::string_view unit) {
    if (unit == "s") return 1;
    if (unit == "m") return 60;
    if (unit == "h") return 3600;
    return unit == "d" ? 24 * 3600 : 0;
}

}  // namespace

Result<std::int64_t> parse_seconds(const std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const std::int64_t factor = factor_of({rest, static_cast<std::size_t>(end - rest)});
    if (error == std::errc() && factor > 0 && number > 0 && number <= most_seconds / factor) return number * factor;
    return Error{ErrorCode::invalid_input, "'" + text + "' is not a duration", "", "write 90s, 30m, 2h or 7d"};
}

Result<TimePoint> parse_time(const std::string& text, TimePoint now) {
    if (text.starts_with('+')) {
        DIVISI_ASSIGN(const std::int64_t seconds, parse_seconds(text.substr(1)));
        return now + std::chrono::seconds(seconds);
    }
    std::tm local{};
    local.tm_isdst = -1;
    const char* const end = ::strptime(text.c_str(), "%Y-%m-%d %H:%M", &local);
    const std::time_t seconds = end != nullptr && *end == '\0' ? std::mktime(&local) : -1;
    if (seconds > 0 && seconds <= most_seconds) return TimePoint(std::chrono::seconds(seconds));
    return Error{ErrorCode::invalid_input, "'" + text + "' is not a time", "", "write \"2026-11-22 21:30\" or +2h"};
}

}  // namespace divisi::ctl
