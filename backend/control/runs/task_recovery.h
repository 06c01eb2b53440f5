// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/runs/leases.h"
#include "backend/control/runs/node_fitness.h"
#include "backend/control/runs/recovery_placement.h"
#include "backend/control/runs/standby_pool.h"
#include "backend/control/runs/task_part.h"
#include "backend/control/types/restart_budget.h"

namespace divisi::control::inline runs {

/// Recovers tasks from faults: all instances of a task go back to its last checkpoint as a new generation and continue
/// to train. A re-cut also begins a generation, with another plan.
class TaskRecovery final : public TaskPart {
public:
    TaskRecovery(OrchestratorContext& context, Leases& leases, NodeFitness& fitness, StandbyPool& standbys,
                 TaskControl& control)
        : context_(context),
          leases_(leases),
          fitness_(fitness),
          standbys_(standbys),
          control_(control),
          placement_(context, fitness) {}

    /// Returns the processes of the next plan's stages, by stage: instances that stay on their node, ready standbys, or
    /// standbys that are started to prepare that plan.
    std::vector<InstanceId> prepare_recut(const TaskId& task, const NextPlan& next);
    /// Marks the task's stages as paused for a re-cut, so that instances that wait for them are not reported.
    void pause_steps(const TaskId& task) { control_.pause_steps(task); }
    /// Gives up a re-cut and ends the standbys that were started for it.
    void give_up_recut(const TaskId& task);
    /// Puts another plan into force for a training task, from the next generation on.
    void recut(const TaskId& task, const NextPlan& next);
    void follow(const Event& event);

    // Functions of TaskPart.
    void open(const TaskId& task) override { books_.try_emplace(task); }
    void begin_generation(const TaskId& task) override { books_.at(task).waits_since.reset(); }
    /// Recovers the task if it can. If the task has recovered too often, sets `error` to that reason.
    bool handle_fault(const TaskId& task, const InstanceId& culprit, Error& error, Fault fault) override;
    void node_refused(const TaskId& task, const NodeId& node) override { fitness_.mark_unfit(task, node); }
    void node_joined(const NodeId& node) override { fitness_.node_joined(node); }
    /// Continues tasks that wait for a node, if the returned node has what they need.
    void node_settled(const NodeId& node) override;
    /// Extends the wait for a node without which the task cannot continue. Waits without limit if the task file says
    /// so. Nodes that are present but could not start an instance are asked again; each refusal was counted as a fault.
    Result<bool> extend_wait(const TaskId& task) override;

private:
    /// The used part of one task's retry budgets. A restarted orchestrator counts from zero.
    struct Book {
        /// recoveries, by the SID at fault, or by the task's id if no SID is at fault
        std::map<Sid, RestartBudget> recoveries;
        std::int64_t reached = 0;              ///< the furthest step reached before a fault
        std::size_t fruitless = 0;             ///< consecutive recoveries without progress
        std::optional<TimePoint> waits_since;  ///< lived time since which the task waits for indispensable nodes
    };

    // Functions that answer a fault (task_recovery.cpp).
    bool try_other_snapshot(const TaskId& task, const InstanceId& culprit, const Error& error);
    bool record_progress(const TaskView& task);
    std::optional<Error> charge_retry_budget(const TaskId& task, const InstanceId& culprit, const Error& error);
    std::optional<Error> charge_sid(const TaskId& task, const InstanceId& culprit, const Error& error);
    std::optional<Error> leave_node(const TaskId& task, const InstanceId& culprit, const Error& last);
    void tell_answer(const TaskId& task, const InstanceId& culprit, const std::string& fault,
                     const std::string& answer);
    std::string kind_of(const InstanceId& culprit, const Error& error, Fault fault) const;
    bool need_not_wait(const TaskId& task) const;
    bool try_extend_wait(const TaskId& task);
    // Functions that begin generations (recovery_generations.cpp).
    void recover(const TaskId& task, const InstanceId& culprit, const Error& error, Fault fault);
    void tell_wait(const TaskView& task, const Sid& sid, const NodeId& node);
    bool leave(const InstanceView& before, const NodeId& next, const InstanceId& culprit, Fault fault,
               const std::string& reason);

    OrchestratorContext& context_;
    Leases& leases_;
    NodeFitness& fitness_;
    StandbyPool& standbys_;
    TaskControl& control_;
    RecoveryPlacement placement_;
    std::map<TaskId, Book> books_;  ///< book of each running task
};

}  // namespace divisi::control::inline runs
