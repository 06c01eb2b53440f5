// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/protocol/log_messages.h"
#include "backend/control/types/log_types.h"
#include "tests/unit/wire/exception_parts.h"

namespace divisi::control::test {

// Alerts, lines and machine reports with every field set, for the test of the codec.

inline Alert alert() {
    return {60,
            AlertRule::disk_short,
            "m/a",
            task_id,
            NodeId("m/a"),
            TimePoint(Duration(7)),
            5e8,
            1e9,
            "little is free \xff",
            "free some",
            TimePoint(Duration(9)),
            "some was freed"};
}

inline MachineFigures machine() { return {0.5, 1 << 30, 1 << 20, 1, 2, 3.5, 4.5, 5, 6, 7.5, 8.5, 9, 10, 61.5, 250}; }

inline LogLine log_line() {
    return {7,       TimePoint(Duration(5)), Severity::warning, "instance t/stage-0/0#3",
            task_id, Sid("t/stage-0/0"),     NodeId("m/a"),     "slow \xff disk"};
}

inline QueryLog log_query() {
    QueryLog query{"t", "c", 5, 6, 7, true, "step_done"};
    query.sid = "t/stage-0";
    query.node = "m/a";
    query.level = Severity::error;
    query.since = TimePoint(Duration(8));
    query.until = TimePoint(Duration(9));
    return query;
}

inline std::vector<Message> log_messages() {
    return {LogLines{{log_line(), log_line()}},
            QueryLines{"t", "t/stage-0", "m/a", Severity::warning, TimePoint(Duration(5)), TimePoint(Duration(6)),
                       "disk", 100, 900},
            LinesPage{{log_line()}, true}};
}

}  // namespace divisi::control::test
