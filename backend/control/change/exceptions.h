// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/control/queue/models.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/task_reports.h"

namespace divisi::control::inline change {

/// The exception queue. A task that failed permanently gets an entry, which stays until an operator retries or drops
/// the task. A task that was stopped gets no entry. The entries are part of the state. A task stays in the state as
/// long as its entry.
class Exceptions {
public:
    Exceptions(OrchestratorContext& context, const Models& models, TaskQueue& queue, const TaskReports& reports)
        : context_(context), models_(models), queue_(queue), reports_(reports) {}

    void handle(const Received& received, const RetryException& message);
    void handle(const Received& received, const DropException& message);
    void follow(const Event& event);
    /// Raises an exception for each task that failed in this step, and closes the oldest exceptions if there are too
    /// many.
    void settle();

private:
    /// Finds an entry. If there is no such entry, refuses the request and returns null.
    const ExceptionEntry* find(const Received& received, std::uint64_t number);
    ExceptionEntry entry_of(const TaskView& task) const;
    void keep_bounds();

    OrchestratorContext& context_;
    const Models& models_;
    TaskQueue& queue_;
    const TaskReports& reports_;
    std::vector<TaskId> failed_;                ///< tasks that failed in this step
    std::map<TaskId, std::string> operations_;  ///< last operations of failing instances, by ending task
};

}  // namespace divisi::control::inline change
