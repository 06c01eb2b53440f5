// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/base/clock.h"

namespace divisi::control::inline types {

/// Lines that one source may write in one note_interval: enough to see what is wrong, too few to fill a log.
inline constexpr int note_burst = 5;
inline constexpr Duration note_interval = std::chrono::seconds(10);
/// A link or a connection that flaps takes seconds to fail and to come back, so its changes are counted for longer.
inline constexpr Duration flap_interval = std::chrono::seconds(30);

/// Lets the first lines of an interval pass and counts the others, so that trouble which repeats a thousand
/// times a second becomes a few lines and a number.
class NoteLimiter {
public:
    explicit NoteLimiter(Duration interval = note_interval) : interval_(interval) {}

    /// Whether the next line passes, for lines that are costly to make.
    bool open() const { return passed_ < note_burst; }
    /// `text` if it may be written now; none when it is only counted.
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
    /// Once the interval is over: what was left out, as one line. Ask every now and then.
    std::optional<std::string> due(TimePoint now) {
        if (!since_ || now < *since_ + interval_) return std::nullopt;
        since_.reset();
        passed_ = 0;
        if (held_ == 0) return std::nullopt;
        const std::string line = last_ + " (the last of " + std::to_string(held_) + " such lines that were left out)";
        held_ = 0;
        return line;
    }
    /// No interval has begun since the last one was over: there is nothing to remember.
    bool idle() const { return !since_; }

private:
    Duration interval_;
    std::optional<TimePoint> since_;
    int passed_ = 0;
    std::int64_t held_ = 0;
    std::string last_;
};

}  // namespace divisi::control::inline types
