// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/control/desk.h"
#include "backend/control/leases.h"
#include "backend/control/mesh_devices.h"
#include "backend/control/models.h"
#include "backend/control/plan_summary.h"

namespace divisi::control {

/// Tasks that have left the queue: their instances register, prepare, train and end. Where each of them is, is in the
/// state, so that a restarted orchestrator adopts them; deadlines and loads are known here alone.
class Runs {
public:
    Runs(Desk& desk, const Models& models, const MeshDevices& devices, Leases& leases)
        : desk_(desk), models_(models), devices_(devices), leases_(leases) {}

    /// Places the instances of a task: of the plan's stages on the first `nodes`, of data units of their own on the
    /// last.
    void start(const TaskId& task, const PlanSummary& plan, const std::vector<NodeId>& nodes);
    /// Says to the instances of all tasks where their peers are: a gateway between them has come, moved or gone.
    void tell_peers();
    /// After a restart: nodes and instances that were there are away, and have the time of any other that is away to
    /// come back. Ends what cannot be adopted, and with `hold` what had not begun.
    void adopt(bool hold);

    void handle(const Received& received, const StopTask& message);
    void handle(const Received& received, const RegisterInstance& message);
    void handle(const Received& received, const InstancePrepared& message);
    void handle(const Received& received, const StepReport& message);
    void handle(const Received& received, const EvalReport& message);
    void handle(const Received& received, const MissedReports& message);
    void handle(const Received& received, const LoadReport& message);
    void handle(const Received& received, const InstanceFinished& message);
    void handle(const Received& received, const InstanceFailed& message);
    void handle(const Received& received, const InstanceExited& message);
    void handle(const Received& received, const ScaleData& message);

    /// A node registered: what runs there of no living task is to end, what should run there and does not has ended
    /// unseen, and what was never heard of was never asked for.
    void node_joined(const NodeId& node, const std::vector<InstanceId>& running);
    /// A node reports the processes that live on it.
    void node_reported(const NodeId& node, const std::vector<InstanceId>& alive);
    void node_lost(const NodeId& node, NodeState state);
    /// The connection of an instance is gone; it has a while to come back.
    void instance_gone(const InstanceId& instance, PeerId peer, const std::string& why);
    /// A task whose nodes or instances are away says so, and for whom it waits; it goes on by itself.
    void say_who_is_awaited();
    void shut_down();

    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time
    void follow(const Event& event);

    /// The last load of each instance that runs.
    std::vector<InstanceLoad> loads() const;
    /// Those that came since the last call.
    std::vector<InstanceLoad> take_new_loads() { return std::exchange(new_loads_, {}); }

private:
    /// What is not in the state.
    struct Run {
        std::map<InstanceId, InstanceLoad> loads;  ///< the last that each reported
        std::set<InstanceId> heard;                ///< who has reported under the policy in force
        std::set<InstanceId> suspect;              ///< in one operation for too long
        std::optional<TimePoint> deadline;         ///< in lived time
        bool killing = false;
    };

    /// Where the instance is the newest incarnation of its SID.
    Run* run_of(const InstanceId& instance);
    void tell_peers(const TaskId& task, bool begun);
    InstanceId place(const TaskId& task, Generation generation, const Sid& sid, const NodeId& node, std::int32_t stage,
                     std::int32_t threads);
    /// Whether the report of an instance is about the plan in force.
    bool in_force(const TaskId& task, Generation generation) const;
    void tell_unkept(const ResumeInstance& heard, const RegisterInstance& message);
    const TaskView& task_of(const InstanceView& instance) const { return desk_.state().tasks.at(instance.task); }
    bool all(const TaskId& task, bool (*holds)(const InstanceView&)) const;
    // Data instances that are dealt come and go while the task runs (run_data.cpp).
    bool begun(const TaskId& task) const;
    std::vector<const InstanceView*> needed(const TaskId& task) const;
    std::vector<const InstanceView*> dealt(const TaskId& task) const;
    bool is_spared(const TaskId& task, const InstanceId& culprit, const Error& error);
    void add_data(const TaskId& task, const NodeId& node);
    void remove_data(const InstanceId& instance, const std::string& by);
    void tell_missing_gateways(const TaskId& task) const;
    void joins_later(const TaskId& task);
    void begins_later(const InstanceId& instance);
    std::optional<NodeId> node_for_data(const TaskId& task) const;
    Deploy deploy(const InstanceView& instance) const;
    Peers peers(const TaskView& task, const InstanceView& of, bool begun) const;
    MicId mic_of(const NodeId& node) const;
    Begin begin(const TaskView& task) const;
    void resume(const Received& received, const RegisterInstance& message);
    void all_joined(const TaskId& task);
    void all_ready(const TaskId& task);
    void step_done(const TaskId& task, const StepRecord& record);
    void evaluated(const TaskId& task, const EvalRecord& record);
    void pass_cycle(Run& run, const TaskView& task);
    void look_for_stuck(Run& run, const InstanceLoad& load);
    std::string awaited_by(const TaskId& task, const Run& run) const;

    /// The first failure is the task's error; what follows from it (peers that miss each other) is not.
    void fail(const TaskId& task, const InstanceId& culprit, Error error);
    void end_instances(const TaskId& task, Outcome outcome, std::optional<Error> error, const std::string& reason);
    void kill_instances(const TaskId& task);
    void ended(const InstanceId& instance, const std::string& detail);
    void finish_if_all_gone(const TaskId& task);
    void check_away();
    void missed_deadline(const TaskId& task);
    /// When a task has run for as long as it may, in lived time; none where it may run on.
    std::optional<TimePoint> end_of_time(const TaskId& task) const;

    Desk& desk_;
    const Models& models_;
    const MeshDevices& devices_;
    Leases& leases_;
    std::map<TaskId, Run> runs_;
    std::set<TaskId> ending_;  ///< of them: nodes report too often to look at all
    std::vector<InstanceLoad> new_loads_;
};

}  // namespace divisi::control
