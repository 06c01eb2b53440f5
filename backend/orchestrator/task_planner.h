// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/control/planner.h"
#include "backend/task/compile.h"

namespace divisi::orchestrator {

/// Compiles a task file with the zoo or a model's skeleton. `task` becomes the first part of every SID. Fails as
/// task::compile() does, also where a sensitive operator has no secure node.
Result<task::CompiledPlan> compile_task(const TaskId& task, const std::string& text, const std::string& skeleton,
                                        const std::vector<std::string>& secure_nodes);

/// Segmentation behind the orchestrator's port. The last plans are kept, since a task is planned when it is
/// submitted and again when it starts.
class TaskPlanner final : public control::Planner {
public:
    /// `secure_nodes` may run operators that a task marks as sensitive.
    explicit TaskPlanner(std::vector<std::string> secure_nodes = {}) : secure_nodes_(std::move(secure_nodes)) {}
    Result<control::PlanSummary> plan(const TaskId& task, const std::string& text, const std::string& skeleton,
                                      const std::vector<control::FileRef>& files) override;

private:
    struct Remembered {
        TaskId task;
        std::string text;
        control::PlanSummary summary;
    };
    std::vector<std::string> secure_nodes_;
    std::vector<Remembered> recent_;
};

}  // namespace divisi::orchestrator
