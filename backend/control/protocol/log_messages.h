// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/log.h"
#include "backend/control/state/event.h"

namespace divisi::control::inline protocol {

// Messages about events of the log and about lines for the log.

/// Asks for the newest matching events that fit on a page, or with `oldest` for the oldest ones. To page backwards, set
/// `before` to the number of the oldest event received. To page forwards, set `after` to the number of the newest event
/// received. Answered by LogPage.
struct QueryLog {
    using Answer = struct LogPage;
    std::string task;
    std::string contains;
    std::uint64_t after = 0;
    std::uint32_t limit = 200;
    std::uint64_t before = 0;  ///< exclusive upper bound of the sequence number; 0: no bound
    bool oldest = false;
    std::string kind;  ///< kind_name() of the events; "step_done" gives a task's whole curve
    // Filters: only events whose line names this SID or this node, whose level (severity_of()) is at least this level,
    // and whose time is within this period.
    std::string sid = {}, node = {};
    Severity level = Severity::debug;
    TimePoint since{}, until{};  ///< first and last time; TimePoint{}: no bound
};
/// Events in the order of their sequence numbers, whether the query asked for the newest or the oldest events.
struct LogPage {
    std::vector<Event> events;
    bool more = false;  ///< more events follow in the direction of paging
};
/// Sent by agents: a line for the log.
struct Note {
    Noted note;
};

}  // namespace divisi::control::inline protocol
