// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "backend/control/log_types.h"

namespace divisi::control {

/// Lines that a process may write in one interval; more are counted.
inline constexpr int line_burst = 100;
inline constexpr Duration line_interval = std::chrono::seconds(10);

/// Lines of a process on their way to the orchestrator: so many in an interval, and so many (most_lines_kept) of the
/// time without a connection, the newest. What was left out is said, with its number.
class LineBuffer {
public:
    void add(LogLine line, TimePoint now);
    /// What one message takes; empty: there is nothing to send.
    LogLines take(TimePoint now);

private:
    void look(TimePoint now);

    std::deque<LogLine> lines_;
    std::optional<TimePoint> since_;  ///< the interval's beginning
    int passed_ = 0;
    std::uint64_t left_out_ = 0;  ///< in this interval
    std::uint64_t unsaid_ = 0;    ///< in those before
};

/// The level that a line of a program's output names: "error: ..." and what LibTorch and the runtime write of theirs.
Severity severity_of_output(const std::string& line);

}  // namespace divisi::control
