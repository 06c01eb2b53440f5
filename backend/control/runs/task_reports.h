// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/runs/leases.h"
#include "backend/control/runs/task_control.h"

namespace divisi::control::inline runs {

/// Handles the reports of instances during training: steps, evaluations and loads. Finds instances that are stuck.
/// Loads are only in memory.
class TaskReports {
public:
    TaskReports(OrchestratorContext& context, Leases& leases, TaskControl& control)
        : context_(context), leases_(leases), control_(control) {}

    void handle(const Received& received, const StepReport& message);
    void handle(const Received& received, const EvalReport& message);
    void handle(const Received& received, const MissedReports& message);
    void handle(const Received& received, const LoadReport& message);
    void follow(const Event& event);

    /// Starts the records of a running task. The records are dropped automatically when the task has ended.
    void open(const TaskId& task) { reports_.try_emplace(task); }
    /// Drops all reports of a task, since the reports of the old generation no longer apply.
    void begin_generation(const TaskId& task) { reports_.at(task) = {}; }
    void forget(const InstanceId& instance);
    /// See TaskControl.
    void pause_steps(const TaskId& task) { reports_.at(task).stands = true; }
    void resume_steps(const TaskId& task);
    /// Adds each idle instance for which another instance has waited too long.
    void add_awaited(const TaskId& task, std::set<std::string>& awaited) const;

    /// Returns the last load of each running instance.
    std::vector<InstanceLoad> loads() const;
    /// Returns the newest load of each instance that reported since the last call.
    std::vector<InstanceLoad> take_new_loads();

private:
    /// The reports of one task.
    struct Reports {
        std::map<InstanceId, InstanceLoad> loads;  ///< the last report of each instance
        std::set<InstanceId> heard;                ///< instances that reported under the policy in force
        std::set<InstanceId> suspect;              ///< instances that stay in one operation for too long
        bool stands = false;                       ///< whether the task's stages were told to pause for a re-cut
    };

    /// Returns the reports of an instance's task; null unless the task runs and the instance is current.
    Reports* reports_of(const InstanceId& instance);
    void step_done(const TaskId& task, const StepRecord& record);
    void evaluated(const TaskId& task, const EvalRecord& record);
    void advance_phase(Reports& reports, const TaskView& task);
    Duration patience(const TaskView& task) const;
    void look_for_stuck(Reports& reports, const InstanceLoad& load);

    OrchestratorContext& context_;
    Leases& leases_;
    TaskControl& control_;
    std::map<TaskId, Reports> reports_;
    std::map<InstanceId, InstanceLoad> new_loads_;  ///< returned by take_new_loads()
};

}  // namespace divisi::control::inline runs
