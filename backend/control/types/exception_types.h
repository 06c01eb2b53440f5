// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/result.h"

namespace divisi::control::inline types {

// The exception queue holds the tasks that failed permanently, until an operator retries or drops each task. The
// exception queue is separate from the task queue, which never waits for it.

/// One attempt to recover a task from a fault.
struct Recovery {
    Generation generation = 1;  ///< generation that the recovery began
    std::int64_t step = 0;      ///< step of the checkpoint used; 0: from the beginning
    TimePoint time{};
    InstanceId culprit;  ///< instance at fault; empty: none in particular
    std::string reason;
    bool operator==(const Recovery&) const = default;
};

/// A task in the exception queue. The task itself has its text, model and files; the state keeps the task as long as
/// the entry.
struct ExceptionEntry {
    std::uint64_t number = 0;  ///< number of the event that raised the exception; the task's log lines precede it
    TaskId task;
    TimePoint time{};
    Error error;
    InstanceId instance;    ///< instance at fault; empty: none in particular
    NodeId node;            ///< node on which that instance ran
    std::string operation;  ///< operation that the instance last reported; empty: unknown
    std::int64_t step = 0;  ///< last step that the task completed
    Generation generation = 1;
    std::uint32_t recovered = 0;  ///< total number of recoveries
    std::vector<Recovery> tried;  ///< the newest recoveries, oldest first
};

// --- messages ----------------------------------------------------------------------------------

/// Sent by operators: submits the task again, as a new task. Answered by SubmitReply without uploads, because the nodes
/// still have the files that the client uploaded earlier. Refused (not_found, conflict, unavailable) if some of the
/// files are gone or the text names other files.
struct RetryException {
    std::uint64_t number = 0;
    std::string text;  ///< edited task file; empty: unchanged
};
/// Sent by operators: closes an entry that is no longer needed. Answered by Done.
struct DropException {
    std::uint64_t number = 0;
};

// --- events ------------------------------------------------------------------------------------

/// The entry of a failed task. Follows the task's TaskEnded.
struct ExceptionRaised {
    ExceptionEntry entry;
};
struct ExceptionClosed {
    std::uint64_t number = 0;
    TaskId task;
    std::string by;   ///< submitter who closed the entry; empty: the orchestrator, due to too many entries
    std::string how;  ///< "dropped", "tried again as gpt-2"
};

/// Describes the place of the failure as far as known, for example "node mic-1/node-1, instance gpt-1/stage-0/0, in
/// forward 3 of step 12, after step 11".
std::string where_text(const ExceptionEntry& entry);
/// Returns for example "recovered 3 times" or "not recovered".
std::string recovered_text(const ExceptionEntry& entry);

}  // namespace divisi::control::inline types
