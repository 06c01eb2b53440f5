// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/queue/kept_processes.h"
#include "backend/control/runs/instance_messages.h"
#include "backend/control/runs/node_fitness.h"
#include "backend/control/runs/task_control.h"
#include "backend/control/runs/task_part.h"
#include "backend/control/runs/task_reports.h"

namespace divisi::control::inline runs {

/// Runs tasks that have left the queue: their instances register, prepare, train and end. Their progress is in the
/// state, so that a restarted orchestrator can adopt them. Deadlines are only in memory.
///
/// Separate parts handle faults, standbys and data instances. This class calls them only through TaskPart.
class TaskLifecycle final : public TaskControl {
public:
    TaskLifecycle(OrchestratorContext& context, const Models& models, const MeshDevices& devices, Leases& leases,
                  KeptProcesses& kept, const NodeFitness& fitness)
        : context_(context),
          devices_(devices),
          leases_(leases),
          kept_(kept),
          fitness_(fitness),
          messages_(context, models, devices, leases),
          reports_(context, leases, *this) {}
    TaskLifecycle(const TaskLifecycle&) = delete;  // the reports and the parts refer to this object
    TaskLifecycle& operator=(const TaskLifecycle&) = delete;

    /// Adds a part, which must outlive this object. Parts are called in the order in which they were added. Call before
    /// start() and adopt().
    void add(TaskPart& part) { parts_.push_back(&part); }
    /// Places the instances of a task: the plan's stages on the first `nodes`, data instances on the last `nodes`.
    void start(const TaskId& task, const PlanSummary& plan, const std::vector<NodeId>& nodes);
    /// Adopts tasks after a restart. The tasks' nodes and instances count as away and have the usual time to return.
    /// Ends tasks that cannot be adopted and, with `hold`, tasks that had not begun.
    void adopt(bool hold);

    void handle(const Received& received, const StopTask& message);
    void handle(const Received& received, const RegisterInstance& message);
    void handle(const Received& received, const InstancePrepared& message);
    void handle(const Received& received, const InstanceActivated& message);
    void handle(const Received& received, const InstanceFinished& message);
    void handle(const Received& received, const InstanceFailed& message);
    void handle(const Received& received, const InstanceExited& message);

    /// Reconciles a node that registered. Ends its processes that belong to no living task. Instances that the node
    /// does not have are ended; if such an instance never joined, it is started again.
    void node_joined(const NodeId& node, const std::vector<InstanceId>& running);
    /// Handles a node's list of living processes.
    void node_reported(const NodeId& node, const std::vector<InstanceId>& alive);
    void node_lost(const NodeId& node, NodeState state);
    /// Marks an instance as away after its connection ended; it has some time to return. `death`: see Sessions::Away.
    void instance_gone(const InstanceId& instance, PeerId peer, const std::string& why,
                       std::optional<Death> death = {});
    /// Ends all running tasks. After the next start, the orchestrator finds these tasks ending and restarts none.
    void shut_down();

    void check_deadlines();                          ///< checks all deadlines, including the deadlines of the parts
    std::optional<TimePoint> next_deadline() const;  ///< earliest deadline, in lived time
    void follow(const Event& event);

    TaskReports& reports() { return reports_; }
    const TaskReports& reports() const { return reports_; }
    /// Tells the instances of all tasks where their peers are, after a gateway was added, moved or removed.
    void tell_peers();

    // Functions of TaskControl.
    InstanceId place(const InstanceOrder& order) override;
    void fail(const TaskId& task, const InstanceId& culprit, Error error, Fault fault) override;
    void update_waits(const TaskId& task) override;
    void update_waits() override;
    void tell_peers(const TaskId& task) override { messages_.tell_peers(task, true); }
    void forget_reports(const InstanceId& instance) override { reports_.forget(instance); }
    void begin_generation(const TaskId& task) override;
    void generation_placed(const TaskId& task) override;
    void extend_registration(const TaskId& task) override;
    void pause_steps(const TaskId& task) override { reports_.pause_steps(task); }
    void resume_steps(const TaskId& task) override { reports_.resume_steps(task); }
    bool is_left(const TaskId& task) const override { return runs_.at(task).left; }

private:
    /// The part of a task's run that is not in the state.
    struct Run {
        std::optional<TimePoint> deadline;  ///< time limit of the task's current phase, in lived time
        bool killing = false;
        /// Whether the cluster ended together with the program that started it. The task is over unless a node still
        /// has instances of the task.
        bool left = false;
    };

    /// Returns the run of an instance; null unless the instance is the newest incarnation of its SID.
    Run* run_of(const InstanceId& instance);
    const TaskView& task_of(const InstanceView& instance) const { return context_.state().tasks.at(instance.task); }
    bool all(const TaskId& task, bool (*holds)(const InstanceView&)) const;
    void open(const TaskId& task, Run run);
    // Functions for registration, preparation and begin (task_lifecycle.cpp).
    Deploy deploy(const InstanceView& instance) const;
    void resume(const Received& received, const RegisterInstance& message);
    void resume_standby(const Received& received, const RegisterInstance& message);
    void warn_lost_reports(const ResumeInstance& heard, const RegisterInstance& message);
    void all_joined(const TaskId& task);
    void all_ready(const TaskId& task);
    void begin_later(const InstanceId& instance);
    bool is_woken_by_data(const InstanceView& instance) const;
    // Functions that end tasks (task_end.cpp).
    void end_instances(const TaskId& task, Outcome outcome, std::optional<Error> error, const std::string& reason);
    void kill_instances(const TaskId& task);
    void ended(const InstanceId& instance, const std::string& detail);
    void finish_if_all_gone(const TaskId& task);
    void missed_deadline(const TaskId& task);
    /// Returns when the task's time limit ends, in lived time; none if it has no limit.
    std::optional<TimePoint> end_of_time(const TaskId& task) const;
    // Functions for nodes and instances that are away (task_absences.cpp).
    void adopt(const TaskView& task, bool joined, bool hold, TimePoint until, const std::string& why);
    void stop_strangers(const NodeId& node, const std::vector<InstanceId>& running);
    void reconcile_missing(const InstanceId& instance);
    void check_away();
    std::string awaited_by(const TaskId& task) const;

    OrchestratorContext& context_;
    const MeshDevices& devices_;
    Leases& leases_;
    KeptProcesses& kept_;
    const NodeFitness& fitness_;
    InstanceMessages messages_;
    TaskReports reports_;
    std::vector<TaskPart*> parts_;
    std::map<TaskId, Run> runs_;
    std::set<TaskId> ending_;  ///< ending tasks of `runs_`; a separate set, since nodes report too often to search all
};

}  // namespace divisi::control::inline runs
