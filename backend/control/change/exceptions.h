// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/control/queue/models.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/runs.h"

namespace divisi::control::inline change {

/// The exception queue. A task that failed for good gets an entry, which stands until a person has tried the task again
/// or dropped it; one that somebody stopped gets none. The entries are in the state, and pin their tasks there.
class Exceptions {
public:
    Exceptions(Desk& desk, const Models& models, TaskQueue& queue, const Runs& runs)
        : desk_(desk), models_(models), queue_(queue), runs_(runs) {}

    void handle(const Received& received, const RetryException& message);
    void handle(const Received& received, const DropException& message);
    void follow(const Event& event);
    /// Raises what has failed in this step, and closes the oldest where there are too many.
    void settle();

private:
    /// Refuses what is not in the queue; null then.
    const ExceptionEntry* find(const Received& received, std::uint64_t number);
    ExceptionEntry entry_of(const TaskView& task) const;
    void keep_bounds();

    Desk& desk_;
    const Models& models_;
    TaskQueue& queue_;
    const Runs& runs_;
    std::vector<TaskId> failed_;                ///< in this step
    std::map<TaskId, std::string> operations_;  ///< that culprits were in, of tasks that end
};

}  // namespace divisi::control::inline change
