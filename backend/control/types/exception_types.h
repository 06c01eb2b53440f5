// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/result.h"

namespace divisi::control::inline types {

// The exception queue: tasks that failed for good, until a person has tried each again or dropped it. It stands beside
// the queue of tasks, which never waits for it.

/// A recovery of a task: what was tried about a fault.
struct Recovery {
    Generation generation = 1;  ///< that it began
    std::int64_t step = 0;      ///< of the checkpoint that it went on from; 0: from the beginning
    TimePoint time{};
    InstanceId culprit;  ///< whose fault it was; empty: nobody's in particular
    std::string reason;
    bool operator==(const Recovery&) const = default;
};

/// A task in the exception queue. Its text, model and files are the task's, which the state keeps as long.
struct ExceptionEntry {
    std::uint64_t number = 0;  ///< of the event that raised it: the log around it lies before
    TaskId task;
    TimePoint time{};
    Error error;
    InstanceId instance;    ///< whose fault it was; empty: nobody's in particular
    NodeId node;            ///< on which that ran
    std::string operation;  ///< that it was in, as it last said; empty: not known
    std::int64_t step = 0;  ///< the last that the task had done
    Generation generation = 1;
    std::uint32_t recovered = 0;  ///< how often, all in all
    std::vector<Recovery> tried;  ///< the newest of these, oldest first
};

// --- messages ----------------------------------------------------------------------------------

/// From operators: submit the task again, as a new task. Answered by SubmitReply without uploads: what its client
/// brought to nodes is taken from there. Refused (not_found, conflict, unavailable) where some of it is gone, or where
/// the text names other files.
struct RetryException {
    std::uint64_t number = 0;
    std::string text;  ///< the task file, edited; empty: as it was
};
/// From operators: the entry is seen and needed no more. Answered by Done.
struct DropException {
    std::uint64_t number = 0;
};

// --- events ------------------------------------------------------------------------------------

/// Follows the TaskEnded of a task that failed.
struct ExceptionRaised {
    ExceptionEntry entry;
};
struct ExceptionClosed {
    std::uint64_t number = 0;
    TaskId task;
    std::string by;   ///< the submitter who did it; empty: the orchestrator, since there were too many
    std::string how;  ///< "dropped", "tried again as gpt-2"
};

/// "node mic-1/node-1, instance gpt-1/stage-0/0, in forward 3 of step 12, after step 11": as far as it is known.
std::string where_text(const ExceptionEntry& entry);
/// "recovered 3 times", "not recovered".
std::string recovered_text(const ExceptionEntry& entry);

}  // namespace divisi::control::inline types
