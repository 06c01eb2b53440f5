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
#include "backend/control/runs/standby_pool.h"
#include "backend/control/runs/task_part.h"
#include "backend/control/types/restart_budget.h"

namespace divisi::control::inline runs {

/// Manages standbys: idle processes of a training task. A standby can replace an instance that dies, so that a recovery
/// need not start a process. RecoveryPlacement decides which standby replaces the instance.
class Standbys final : public TaskPart, public StandbyPool {
public:
    Standbys(OrchestratorContext& context, Leases& leases, const NodeFitness& fitness, InstanceStarter& starter)
        : context_(context), leases_(leases), fitness_(fitness), starter_(starter) {}

    void follow(const Event& event);

    // Functions of TaskPart.
    void open(const TaskId& task) override { books_.try_emplace(task); }
    /// Waits for the standbys of the task to reconnect, as for its instances.
    void adopt(const TaskId& task, TimePoint until, const std::string& why) override;
    void started(const InstanceView& instance) override;
    /// Schedules the start of all standbys that the task file asks for.
    void training_begun(const TaskId& task) override;
    /// Handles the loss of a standby. The task continues unchanged and starts another standby.
    bool handle_fault(const TaskId& task, const InstanceId& culprit, Error& error, Fault fault) override;
    /// Marks a standby as ready: the standby has loaded all parts of its plan that can be loaded in advance.
    bool handle_prepared(const InstanceView& instance, const InstancePrepared& message) override;
    /// Sets the next plan in the deployment of a standby that was started for a re-cut.
    void complete(const InstanceView& instance, Deploy& deploy) const override;
    void node_joined(const NodeId& node) override;
    /// Fails standbys that are not ready in time. Replaces standbys whose node is unfit or drained, and ends standbys
    /// for a re-cut that was given up. Starts missing standbys when they are due.
    void check_deadlines() override;
    std::optional<TimePoint> next_deadline() const override;

    // Functions of StandbyPool.
    InstanceId take(const InstanceId& standby, const Sid& sid) override;
    InstanceId prepare(const TaskId& task, const NodeId& node, const NextPlan& next,
                       const std::vector<InstanceId>& taken) override;
    void plan_in_force(const TaskId& task) override { books_.at(task).for_recut.clear(); }
    void give_up_plan(const TaskId& task) override;

private:
    /// Bookkeeping of a task's standbys. A restarted orchestrator counts from zero.
    struct Book {
        std::int64_t wanted = 0;                   ///< number that the task file asks for
        std::optional<TimePoint> again;            ///< time at which missing standbys are started, in lived time
        std::map<InstanceId, TimePoint> arriving;  ///< deadlines of standbys that are not ready, in lived time
        RestartBudget deaths{standby_deaths};      ///< deaths of all standbys of the task
        bool short_of = false;                     ///< whether a lack of room was already logged
        std::set<InstanceId> for_recut;            ///< standbys started for the next plan, beyond `wanted`
        std::string next_text, next_plan;          ///< task file for `for_recut`, and the hash of its plan
    };

    void fill(const TaskId& task);
    void fail_late(const std::vector<InstanceId>& late);
    void replace(const InstanceId& standby, const std::string& reason);
    void dismiss(const InstanceId& standby, const std::string& reason);
    bool is_surplus(const InstanceView& standby) const;
    const InstanceView* ready_on(const TaskId& task, const NodeId& node, const std::vector<InstanceId>& taken) const;
    InstanceId start_for_recut(const TaskId& task, const NodeId& node, const NextPlan& next);
    std::optional<NodeId> node_for(const TaskView& task, const task::TaskSpec& spec) const;

    OrchestratorContext& context_;
    Leases& leases_;
    const NodeFitness& fitness_;
    InstanceStarter& starter_;
    std::map<TaskId, Book> books_;  ///< book of each running task
};

}  // namespace divisi::control::inline runs
