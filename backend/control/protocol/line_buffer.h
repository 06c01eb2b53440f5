// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/types/log_types.h"

namespace divisi::control::inline protocol {

/// Maximum numbers of lines in one interval. Once the process has sent line_burst lines, a component (an instance of a
/// node) may only send lines until it has sent component_burst. The second limit keeps a verbose component from
/// suppressing other components. The total is at most most_lines_kept; dropped lines are counted.
inline constexpr std::size_t line_burst = 100, component_burst = 10;
inline constexpr Duration line_interval = std::chrono::seconds(10);
/// Number of last lines of a component that are always sent, regardless of how many lines the component wrote. These
/// lines say why the component ended.
inline constexpr std::size_t last_lines = line_burst / 2;

/// Queues the lines of a process for the orchestrator, limited per interval. Without a connection, keeps the newest
/// lines (most_lines_kept). Reports for each component how many lines were dropped.
class LineBuffer {
public:
    void add(LogLine line, TimePoint now);
    /// Adds the last lines of a component that ended, oldest first. Queues the newest last_lines of these lines and
    /// of the component's lines dropped in this interval, regardless of the limits. A line before them states how many
    /// other lines were dropped.
    void add_last(const std::string& component, std::vector<LogLine> lines, TimePoint now);
    /// Removes and returns the lines for one message; empty if there is nothing to send.
    LogLines take(TimePoint now);

private:
    struct Count {
        std::size_t passed = 0;
        std::uint64_t left_out = 0;
        std::deque<LogLine> newest;  ///< newest dropped lines, last_lines at most
    };

    void poll(TimePoint now);
    void leave_out(Count& count, LogLine line);
    void keep(LogLine line);

    std::deque<LogLine> lines_;
    std::optional<TimePoint> since_;               ///< beginning of the interval
    std::size_t passed_ = 0;                       ///< lines passed in this interval
    std::map<std::string, Count> counts_;          ///< counts for this interval, by component
    std::map<std::string, std::uint64_t> unsaid_;  ///< lines dropped in earlier intervals and not yet reported
};

/// Returns the level named by a line of a program's output, for example "error: ..." and the prefixes that LibTorch and
/// the runtime use.
Severity severity_of_output(const std::string& line);

}  // namespace divisi::control::inline protocol
