// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/log.h"

namespace divisi::control::inline types {

// Lines that processes write for people. They are telemetry: kept beside the events, within bounds of their own, and
// left out where there are too many. What the state is folded from are the events alone.

struct LogLine {
    std::uint64_t number = 0;  ///< in the log; 0: it is not there yet
    TimePoint time{};          ///< by its writer's clock
    Severity severity = Severity::info;
    std::string component;  ///< "node mic-1/node-2", "instance gpt-1/stage-0/0", "gateway mg-1"
    TaskId task;            ///< that it concerns; empty: none
    Sid sid;                ///< likewise
    NodeId node;            ///< on which it was written; empty: on none
    std::string text;
    bool operator==(const LogLine&) const = default;
};

/// Bytes of a line's text, what one message holds, and what a sender keeps of the time without an orchestrator.
inline constexpr std::size_t longest_line = 2u << 10;
inline constexpr std::size_t lines_at_once = 16;
inline constexpr std::size_t most_lines_kept = 200;

// --- messages ----------------------------------------------------------------------------------

/// From agents, not answered: lines_at_once at most. Who writes is known by the connection; an agent says of its
/// instances which of them wrote.
struct LogLines {
    std::vector<LogLine> lines;
};
/// From clients. Answered by LinesPage: the newest lines that fit, in the order in which they came.
struct QueryLines {
    std::string task, sid, node;       ///< empty: any; a SID without its replica or incarnation is all of them
    Severity level = Severity::debug;  ///< and above
    TimePoint since{}, until{};        ///< TimePoint{}: no bound
    std::string contains;              ///< in the text or the component
    std::uint32_t limit = 200;
    std::uint64_t before = 0;  ///< older than this number; 0: no bound
};
struct LinesPage {
    std::vector<LogLine> lines;
    bool more = false;  ///< there are older ones
};

}  // namespace divisi::control::inline types
