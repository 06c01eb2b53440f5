// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

/// A client's view of one task, without I/O. Returns its events in order, each once, over any number of connections.
/// Events missed between connections are read from the orchestrator's log.
class TaskEvents {
public:
    struct Step {
        std::optional<QueryLog> request;  ///< send it; its answer goes to answered()
        std::vector<Event> events;        ///< next events of the task
    };

    /// `after`: the cluster's sequence number before the task was submitted.
    TaskEvents(TaskId task, std::uint64_t after) : task_(std::move(task)), last_(after) {}

    /// Notes that a subscription begins at the cluster's sequence number `sequence`; pushes follow.
    Step subscribed(std::uint64_t sequence);
    /// Takes pushed events of the cluster.
    Step pushed(const std::vector<Event>& events);
    /// Takes the answer to a request. Repeats a failed request, up to `attempts` times in all. If the connection was
    /// lost (unavailable), the next subscription repeats it.
    Step answered(Result<LogPage> reply);

    /// Returns whether everything up to the last push is known, so that no request is open.
    bool complete() const { return !target_; }
    /// Returns why the task can no longer be followed, if so.
    const std::optional<Error>& failure() const { return failure_; }
    /// Returns the steps that never arrived, as "12 to 90, 113" and the number of further ones. Empty if none is
    /// missing.
    std::string missing() const;
    std::int64_t missing_count() const { return missing_count_; }

    static constexpr int attempts = 3;
    /// Events requested on one page of the log.
    static constexpr std::uint32_t page = 1000;
    /// Maximum number of events held back while the log is read. A task does some hundred steps in a second, and a page
    /// takes milliseconds.
    static constexpr std::size_t most_held = 20'000;

private:
    QueryLog request() const;
    Step live(Step step);
    void take(const Event& event, Step& step);
    void look_for_gap(const StepRecord& record);

    TaskId task_;
    std::uint64_t last_ = 0;                ///< sequence of the last event taken or skipped
    std::optional<std::uint64_t> target_;   ///< the log is read up to here; none: pushes follow without a gap
    std::vector<Event> held_;               ///< the task's events pushed while the log is read
    std::optional<std::uint64_t> dropped_;  ///< too many were pushed: the log is read again up to here
    int failed_ = 0;                        ///< failed attempts of this request
    std::optional<Error> failure_;
    std::int64_t step_ = 0;  ///< the last step taken
    Generation generation_ = 0;
    struct Gap {
        std::int64_t first = 0, last = 0;
    };
    std::vector<Gap> gaps_;  ///< the first few
    std::int64_t missing_count_ = 0;
};

/// Returns the query for the newest log lines of a task up to the exception that ended it.
QueryLog log_around(const ExceptionEntry& entry);

}  // namespace divisi::control::inline protocol
