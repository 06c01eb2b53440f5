// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/base/clock.h"

namespace divisi::control::inline types {

/// Maximum number of lines that one source may log in one note_interval: enough to see what is wrong, too few to fill a
/// log.
inline constexpr int note_burst = 5;
inline constexpr Duration note_interval = std::chrono::seconds(10);
/// The interval for links and connections that flap. A flapping link takes seconds to fail and to come back, so its
/// changes are counted over a longer time.
inline constexpr Duration flap_interval = std::chrono::seconds(30);

/// Passes the first lines of an interval and counts the others. An error that repeats a thousand times a second becomes
/// a few lines and a number.
class NoteLimiter {
public:
    explicit NoteLimiter(Duration interval = note_interval) : interval_(interval) {}

    /// Returns whether the next line passes. Call this before making a line that is costly to make.
    bool open() const { return passed_ < note_burst; }
    /// Returns `text` if it may be written now; none if it is only counted.
    std::optional<std::string> pass(const std::string& text, TimePoint now) {
        if (!since_) since_ = now;
        if (passed_ < note_burst) {
            ++passed_;
            return text;
        }
        ++held_;
        last_ = text;
        return std::nullopt;
    }
    /// Returns one summary line for the suppressed lines once the interval is over. Call periodically.
    std::optional<std::string> due(TimePoint now) {
        if (!since_ || now < *since_ + interval_) return std::nullopt;
        since_.reset();
        passed_ = 0;
        if (held_ == 0) return std::nullopt;
        const std::string line = last_ + " (the last of " + std::to_string(held_) + " such lines that were left out)";
        held_ = 0;
        return line;
    }
    /// Returns whether no interval is open, so that there is nothing to remember.
    bool idle() const { return !since_; }

private:
    Duration interval_;
    std::optional<TimePoint> since_;
    int passed_ = 0;
    std::int64_t held_ = 0;
    std::string last_;
};

}  // namespace divisi::control::inline types
