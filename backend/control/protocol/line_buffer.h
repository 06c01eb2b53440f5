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

/// Lines that a process may write in one interval, and, beyond these, each of its components (an instance of a node),
/// so that a chatty one does not silence the others; all together most_lines_kept. More are counted.
inline constexpr std::size_t line_burst = 100, component_burst = 10;
inline constexpr Duration line_interval = std::chrono::seconds(10);
/// Of what a component says last: these newest lines come through however chatty it was, since they say why it ended.
inline constexpr std::size_t last_lines = line_burst / 2;

/// Lines of a process on their way to the orchestrator: so many in an interval, and so many (most_lines_kept) of the
/// time without a connection, the newest. What was left out is said of each component, with its number.
class LineBuffer {
public:
    void add(LogLine line, TimePoint now);
    /// What a component said before it ended, oldest first. Of these and of what was left out in this interval the
    /// last_lines newest are sent, whatever passed before, behind one line that says how many others were left out.
    void add_last(const std::string& component, std::vector<LogLine> lines, TimePoint now);
    /// What one message takes; empty: there is nothing to send.
    LogLines take(TimePoint now);

private:
    struct Count {
        std::size_t passed = 0;
        std::uint64_t left_out = 0;
        std::deque<LogLine> newest;  ///< of those left out, last_lines at most
    };

    void look(TimePoint now);
    void leave_out(Count& count, LogLine line);
    void keep(LogLine line);

    std::deque<LogLine> lines_;
    std::optional<TimePoint> since_;               ///< the interval's beginning
    std::size_t passed_ = 0;                       ///< in this interval
    std::map<std::string, Count> counts_;          ///< likewise, by component
    std::map<std::string, std::uint64_t> unsaid_;  ///< left out in those before
};

/// The level that a line of a program's output names: "error: ..." and what LibTorch and the runtime write of theirs.
Severity severity_of_output(const std::string& line);

}  // namespace divisi::control::inline protocol
