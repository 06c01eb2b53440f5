// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline queue {

/// The skeletons of imported models, by task, in memory. The adapter stores them next to the log.
class Models {
public:
    explicit Models(OrchestratorContext& context) : context_(context) {}

    void keep(const TaskId& task, std::string bytes) { skeletons_[task] = std::move(bytes); }
    /// Restores the model of a task from the store, but only if it is the model with which the task was submitted.
    void restore(const TaskId& task, std::string bytes);
    /// Ends the queued tasks whose models are missing from the store.
    void adopt();
    void follow(const Event& event);
    void handle(const Received& received, const FetchSkeleton& message);

    /// Returns the skeleton of a task; empty if it has none.
    const std::string& of(const TaskId& task) const;
    const std::map<TaskId, std::string>& all() const { return skeletons_; }

private:
    OrchestratorContext& context_;
    std::map<TaskId, std::string> skeletons_;
};

}  // namespace divisi::control::inline queue
