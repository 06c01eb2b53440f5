// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backend/control/core/desk.h"

namespace divisi::control::inline queue {

/// The skeletons of imported models, by task, in memory; the adapter keeps them beside the log.
class Models {
public:
    explicit Models(Desk& desk) : desk_(desk) {}

    void keep(const TaskId& task, std::string bytes) { skeletons_[task] = std::move(bytes); }
    /// What the store has of a task's model; nothing is kept that is not what the task came with.
    void restore(const TaskId& task, std::string bytes);
    /// Ends the queued tasks whose model the store has lost.
    void end_tasks_without();
    void follow(const Event& event);
    void handle(const Received& received, const FetchSkeleton& message);

    /// Empty where the task has none.
    const std::string& of(const TaskId& task) const;
    const std::map<TaskId, std::string>& all() const { return skeletons_; }

private:
    Desk& desk_;
    std::map<TaskId, std::string> skeletons_;
};

}  // namespace divisi::control::inline queue
