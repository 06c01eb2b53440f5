// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

/// A client's view of one task, without I/O: its events in order, each once, over any number of connections. What was
/// missed while there was none is read from the orchestrator's log.
class TaskEvents {
public:
    struct Step {
        std::optional<QueryLog> request;  ///< send it; its answer goes to answered()
        std::vector<Event> events;        ///< the task's next ones
    };

    /// `after`: the cluster's sequence number before the task was submitted.
    TaskEvents(TaskId task, std::uint64_t after) : task_(std::move(task)), last_(after) {}

    /// A subscription begins at the cluster's sequence number `sequence`; pushes follow.
    Step subscribed(std::uint64_t sequence);
    /// Events of the cluster, as they are pushed.
    Step pushed(const std::vector<Event>& events);
    /// The answer to a request. Where it is an error the same is asked again, `attempts` times; where the connection
    /// was lost (unavailable), by the next subscription.
    Step answered(Result<LogPage> reply);

    /// Whether everything up to the last push is known: no request is under way.
    bool complete() const { return !target_; }
    /// Why the task can be followed no further.
    const std::optional<Error>& failure() const { return failure_; }
    /// Steps that never came, as "12 to 90, 113", and how many; empty when none is missing.
    std::string missing() const;
    std::int64_t missing_count() const { return missing_count_; }

    static constexpr int attempts = 3;
    /// Events on one page of the log.
    static constexpr std::uint32_t page = 1000;
    /// A task does some hundred steps in a second, and a page takes milliseconds.
    static constexpr std::size_t most_held = 20'000;

private:
    QueryLog request() const;
    Step live(Step step);
    void take(const Event& event, Step& step);
    void look_for_gap(const StepRecord& record);

    TaskId task_;
    std::uint64_t last_ = 0;                ///< of the last event that was taken or is not the task's
    std::optional<std::uint64_t> target_;   ///< the log is read up to here; none: pushes follow without a gap
    std::vector<Event> held_;               ///< the task's, pushed while the log is read
    std::optional<std::uint64_t> dropped_;  ///< there were too many: those up to here are read from the log again
    int failed_ = 0;                        ///< attempts of this request
    std::optional<Error> failure_;
    std::int64_t step_ = 0;  ///< the last that was taken
    Generation generation_ = 0;
    struct Gap {
        std::int64_t first = 0, last = 0;
    };
    std::vector<Gap> gaps_;  ///< the first few
    std::int64_t missing_count_ = 0;
};

/// What to ask the log for what a task has said before it failed: its newest lines, up to the exception.
QueryLog log_around(const ExceptionEntry& entry);

}  // namespace divisi::control::inline protocol
