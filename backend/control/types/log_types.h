// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/log.h"

namespace divisi::control::inline types {

// Lines that processes write for people. Log lines are telemetry: stored next to the events with separate limits, and
// dropped if there are too many. The state is computed from events alone.

struct LogLine {
    std::uint64_t number = 0;  ///< number in the log; 0: not in the log yet
    TimePoint time{};          ///< time by the writer's clock
    Severity severity = Severity::info;
    std::string component;  ///< "node mic-1/node-2", "instance gpt-1/stage-0/0", "gateway mg-1"
    TaskId task;            ///< task that the line concerns; empty: none
    Sid sid;                ///< SID that the line concerns; empty: none
    NodeId node;            ///< node on which the line was written; empty: none
    std::string text;
    bool operator==(const LogLine&) const = default;
};

/// Three limits: bytes of a line's text, lines in one message, and lines that a sender keeps while it has no connection
/// to the orchestrator.
inline constexpr std::size_t longest_line = 2u << 10;
inline constexpr std::size_t lines_at_once = 16;
inline constexpr std::size_t most_lines_kept = 200;

// --- messages ----------------------------------------------------------------------------------

/// Sent by agents, not answered. Contains at most lines_at_once lines. The connection identifies the sender. An agent
/// names the instance that wrote a line.
struct LogLines {
    std::vector<LogLine> lines;
};
/// Sent by clients. Answered by LinesPage with the newest matching lines that fit, in order of arrival.
struct QueryLines {
    using Answer = struct LinesPage;
    std::string task, sid, node;       ///< empty: any; a SID without replica or incarnation matches all of them
    Severity level = Severity::debug;  ///< lowest level of the lines
    TimePoint since{}, until{};        ///< TimePoint{}: no bound
    std::string contains;              ///< text contained in the line or its component
    std::uint32_t limit = 200;
    std::uint64_t before = 0;  ///< only lines with a lower number; 0: no bound
};
struct LinesPage {
    std::vector<LogLine> lines;
    bool more = false;  ///< whether older lines exist
};

}  // namespace divisi::control::inline types
