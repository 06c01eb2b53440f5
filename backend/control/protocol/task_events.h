// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/protocol/log_messages.h"
#include "backend/control/protocol/message_fwd.h"

namespace divisi::control::inline protocol {

/// A client's view of one task, without I/O. Returns its events in order, each once, over any number of connections.
/// Events missed between connections are read from the orchestrator's log.
class TaskEvents {
public:
    struct Step {
        std::optional<QueryLog> request;  ///< request to send; its answer goes to answered()
        std::vector<Event> events;        ///< next events of the task
    };

    /// `after`: the cluster's sequence number before the task was submitted.
    TaskEvents(TaskId task, std::uint64_t after) : task_(std::move(task)), last_(after) {}

    /// Records that a subscription begins at the cluster's sequence number `sequence`; pushes follow.
    Step subscribed(std::uint64_t sequence);
    /// Handles pushed events of the cluster.
    Step pushed(const std::vector<Event>& events);
    /// Handles the answer to a request. Repeats a failed request, up to `attempts` times in all. If the connection was
    /// lost (unavailable), the next subscription repeats the request.
    Step answered(Result<LogPage> reply);

    /// Returns whether all events up to the last push are known, so that no request is open.
    bool complete() const { return !target_; }
    /// Returns why the task can no longer be followed; none if following continues.
    const std::optional<Error>& failure() const { return failure_; }
    /// Returns the steps that never arrived, for example "12 to 90, 113", and the number of steps in further gaps.
    /// Returns an empty text if no step is missing.
    std::string missing() const;
    std::int64_t missing_count() const { return missing_count_; }

    static constexpr int attempts = 3;
    /// Events requested on one page of the log.
    static constexpr std::uint32_t page = 1000;
    /// Maximum number of pushed events kept while the log is read. A task does some hundred steps in a second, and a
    /// page takes milliseconds.
    static constexpr std::size_t most_held = 20'000;

private:
    QueryLog request() const;
    Step live(Step step);
    void take(const Event& event, Step& step);
    void look_for_gap(const StepRecord& record);

    TaskId task_;
    std::uint64_t last_ = 0;  ///< sequence number of the last event returned or skipped
    /// sequence number up to which the log is read; none: pushes follow without a gap
    std::optional<std::uint64_t> target_;
    std::vector<Event> held_;  ///< the task's events pushed while the log is read
    /// sequence number up to which the log is read again, because too many events were pushed
    std::optional<std::uint64_t> dropped_;
    int failed_ = 0;  ///< failed attempts of this request
    std::optional<Error> failure_;
    std::int64_t step_ = 0;  ///< the last step returned
    Generation generation_ = 0;
    struct Gap {
        std::int64_t first = 0, last = 0;
    };
    std::vector<Gap> gaps_;  ///< the first few gaps
    std::int64_t missing_count_ = 0;
};

/// Returns the query for the newest log lines of a task up to the exception that ended it.
QueryLog log_around(const ExceptionEntry& entry);

}  // namespace divisi::control::inline protocol
