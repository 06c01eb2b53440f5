// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/protocol/plan_summary.h"
#include "backend/control/queue/kept_processes.h"
#include "backend/control/queue/models.h"
#include "backend/control/runs/leases.h"
#include "backend/control/types/recut_types.h"
#include "backend/control/types/restart_budget.h"

namespace divisi::control::inline runs {

/// A plan that a task continues with, after a checkpoint of the plan before.
struct NextPlan {
    PlanSummary plan;  ///< the plan, with SIDs that name the task
    std::string text;  ///< the task file that the plan is compiled from
    std::vector<StageOrigin> origins;
    std::int64_t step = 0;  ///< step of the checkpoint; every stage's node has its snapshots
    std::string by;         ///< name of the requester
    /// The process of each stage, by stage: an instance of the old plan, or a standby.
    std::vector<InstanceId> processes = {};
};

/// Returns the SID of a stage or of a data instance.
Sid sid_in(const TaskId& task, std::int32_t stage, std::size_t replica = 0);

/// Runs tasks that have left the queue: their instances register, prepare, train and end. Their progress is in the
/// state, so that a restarted orchestrator can adopt them. Deadlines and loads are only in memory.
class Runs {
public:
    Runs(OrchestratorContext& context, const Models& models, const MeshDevices& devices, Leases& leases,
         KeptProcesses& kept)
        : context_(context), models_(models), devices_(devices), leases_(leases), kept_(kept) {}

    /// Places the instances of a task: the plan's stages on the first `nodes`, separate data units on the last ones.
    void start(const TaskId& task, const PlanSummary& plan, const std::vector<NodeId>& nodes);
    /// Returns the processes of the next plan's stages, by stage: instances that stay on their node, ready standbys, or
    /// standbys newly started to prepare that plan.
    std::vector<InstanceId> prepare_recut(const TaskId& task, const NextPlan& next);
    /// Marks the task's stages as standing still for a re-cut, so that instances that wait for them do not complain.
    void pause_steps(const TaskId& task);
    /// Gives a re-cut up and ends the standbys that were started for it.
    void give_up_recut(const TaskId& task);
    /// Puts another plan in force for a training task, from the next generation on.
    void recut(const TaskId& task, const NextPlan& next);
    /// Tells the instances of all tasks where their peers are, after a gateway was added, moved or removed.
    void tell_peers();
    /// Adopts tasks after a restart. Their nodes and instances count as away and have the usual time to return. Ends
    /// tasks that cannot be adopted and, with `hold`, those that had not begun.
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
    void handle(const Received& received, const InstanceActivated& message);

    /// Checks that a data instance of the task could run on another node than `from`. Fails (unavailable) if no other
    /// node may run it or can read the data.
    Result<void> can_move_data(const TaskId& task, const NodeId& from) const;
    /// Returns the nodes that a fault made unfit for the task, until they join again.
    std::set<NodeId> unfit_nodes(const TaskId& task) const;
    /// Returns why a stage of the task's next plan may not run on a node: it failed there too often. None if it may.
    std::optional<Error> exhaustion_error(const TaskId& task, std::int32_t stage, const NodeId& node) const;
    /// Ends a data instance of a training task and starts the next incarnation of its SID on another node. Its
    /// micro-batches are dealt again. `why` is for the log. Fails as can_move_data() and then changes nothing.
    Result<void> move_data(const InstanceId& instance, const std::string& why);

    /// Reconciles a node that registered. Ends its processes that belong to no living task. Instances missing there
    /// have ended unseen; those that never joined are started again.
    void node_joined(const NodeId& node, const std::vector<InstanceId>& running);
    /// Takes a node's list of living processes.
    void node_reported(const NodeId& node, const std::vector<InstanceId>& alive);
    void node_lost(const NodeId& node, NodeState state);
    /// Marks an instance as away after its connection ended; it has some time to return. `death`: see Sessions::Away.
    void instance_gone(const InstanceId& instance, PeerId peer, const std::string& why,
                       std::optional<Death> death = {});
    /// Updates what each task waits for, while its nodes or instances are away. Tasks resume by themselves.
    void say_who_is_awaited();
    void shut_down();

    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time
    void follow(const Event& event);

    /// Returns the last load of each running instance.
    std::vector<InstanceLoad> loads() const;
    /// Returns the newest load of each instance that reported since the last call.
    std::vector<InstanceLoad> take_new_loads();

private:
    /// A data instance that died and that no node can currently run.
    struct Vacancy {
        InstanceId last;    ///< the last instance of the SID
        std::string why;    ///< why it died
        TimePoint until{};  ///< time when it is given up, in lived time
    };
    /// Restart bookkeeping of a task's data instances. A restarted orchestrator counts from zero.
    struct DataCare {
        std::map<Sid, RestartBudget> restarts;
        std::map<Sid, Vacancy> vacant;
        std::map<InstanceId, TimePoint> arriving;  ///< deadlines of those started while the task runs, in lived time
        std::set<NodeId> unfit;                    ///< nodes whose agents could not start one, until they join again
    };
    /// The evidence of a fault.
    enum class Fault {
        said,    ///< reported by the instance, whose process lives until told to end; or decided here
        lost,    ///< not heard from for too long
        exited,  ///< its process is gone
        none,    ///< no fault: the awaited node is no longer needed
    };
    /// Retry budgets used up by faults. A restarted orchestrator counts from zero.
    struct FaultCare {
        std::map<Sid, RestartBudget> recoveries;  ///< by SID at fault; by the task's id if none is
        std::set<NodeId> unfit;  ///< nodes whose agents could not start an instance, or end, until they join again
        std::map<NodeId, std::set<Sid>>
            exhausted;  ///< nodes where these SIDs used up their budget, until they join again
        std::map<NodeId, std::map<Sid, std::size_t>> faults_on;  ///< faults of each SID on a node, until it joins again
        std::set<std::pair<NodeId, std::string>> gone;  ///< snapshots lost on a node, by hash, until it joins again
        std::int64_t reached = 0;                       ///< the furthest step reached before a fault
        std::size_t fruitless = 0;                      ///< consecutive recoveries without progress
        std::optional<TimePoint> waits_since;  ///< lived time since which it waits for nodes it cannot do without
    };
    /// Bookkeeping of a task's standbys. A restarted orchestrator counts from zero.
    struct StandbyCare {
        std::int64_t wanted = 0;                   ///< number that the task file asks for
        std::optional<TimePoint> again;            ///< when missing ones are started, in lived time
        std::map<InstanceId, TimePoint> arriving;  ///< deadlines of those not ready yet, in lived time
        RestartBudget deaths{standby_deaths};      ///< deaths of all standbys of the task
        bool short_of = false;                     ///< a lack of room was already logged
        std::set<InstanceId> for_recut;            ///< those started for the next plan, beyond `wanted`
        std::string next_text, next_plan;          ///< the task file that they compile, and its plan's hash
    };
    /// The place where a SID continues in the next generation.
    struct Continuation {
        NodeId node;
        InstanceId standby;  ///< standby whose process plays it; empty: its own or a new process
    };
    /// The part of a task's run that is not in the state.
    struct Run {
        std::map<InstanceId, InstanceLoad> loads;  ///< the last report of each instance
        std::set<InstanceId> heard;                ///< instances that reported under the policy in force
        std::set<InstanceId> suspect;              ///< instances that stay in one operation for too long
        bool stands = false;                       ///< its stages were told to start no step, for a re-cut
        std::optional<TimePoint> deadline;         ///< in lived time
        bool killing = false;
        DataCare data;
        FaultCare faults;
        StandbyCare standbys;
        /// True if the cluster ended together with the program that started it. The task is over unless a node still
        /// has instances of it.
        bool left = false;
    };

    /// Returns the run of an instance; null unless the instance is the newest incarnation of its SID.
    Run* run_of(const InstanceId& instance);
    void tell_peers(const TaskId& task, bool begun);
    /// Places an instance. `from`: the instance whose process it takes; empty: a new process.
    InstanceId place(const TaskId& task, Generation generation, const Sid& sid, const NodeId& node, std::int32_t stage,
                     std::int32_t threads, const InstanceId& from = {});
    TaskPlanned planned(const TaskId& task, Generation generation, const PlanSummary& plan) const;
    /// Returns whether a report with this generation is about the plan in force.
    bool in_force(const TaskId& task, Generation generation) const;
    void warn_lost_reports(const ResumeInstance& heard, const RegisterInstance& message);
    const TaskView& task_of(const InstanceView& instance) const { return context_.state().tasks.at(instance.task); }
    bool all(const TaskId& task, bool (*holds)(const InstanceView&)) const;
    // Instances whose leases the first data activates (run_leases.cpp).
    bool is_woken_by_data(const InstanceView& instance) const;
    // Dealt data instances, which come and go while the task runs (run_data.cpp).
    bool begun(const TaskId& task) const;
    std::vector<const InstanceView*> needed(const TaskId& task) const;
    std::vector<const InstanceView*> dealt(const TaskId& task) const;
    bool try_drop(const TaskId& task, const InstanceId& culprit, const Error& error);
    void add_data(const TaskId& task, const NodeId& node);
    InstanceId start_data(const TaskId& task, const Sid& sid, const NodeId& node);
    void end_data(const InstanceId& instance, const std::string& reason);
    void tell_missing_gateways(const TaskId& task) const;
    void joins_later(const TaskId& task);
    void begins_later(const InstanceId& instance);
    std::optional<NodeId> node_for_data(const TaskId& task, const NodeId& leaving = {}) const;
    // Restarts of data instances that die (run_replacements.cpp).
    std::optional<std::string> charge_restart_budget(const TaskId& task, const Sid& sid, const Error& error);
    void expect_data(const InstanceId& instance);
    void fill_vacancies(const TaskId& task);
    void give_up(const TaskId& task, const Sid& sid);
    void check_data();
    std::optional<TimePoint> data_deadline(const Run& run) const;
    void adopt_data(const TaskId& task);
    bool can_start_on(const TaskId& task, const NodeId& node) const;
    std::optional<NodeId> node_for_replacement(const TaskId& task, const InstanceId& last) const;
    std::optional<NodeId> other_node_for_data(const TaskId& task, const NodeId& leaving = {}) const;
    std::optional<NodeId> node_away_from(const TaskId& task, const NodeId& leaving) const;
    std::string awaited_data(const TaskId& task, const Run& run) const;
    // Recovery from faults (run_recovery.cpp).
    bool try_recover(const TaskId& task, const InstanceId& culprit, Error& error, Fault fault);
    std::optional<Error> charge_retry_budget(const TaskId& task, const InstanceId& culprit, const Error& error);
    void recover(const TaskId& task, const InstanceId& culprit, const Error& error, Fault fault);
    void tell_answer(const TaskId& task, const InstanceId& culprit, const std::string& fault,
                     const std::string& answer);
    std::string kind_of(const InstanceId& culprit, const Error& error, Fault fault) const;
    const Checkpoint* checkpoint_to_go_on(const TaskView& task) const;
    bool is_fit(const TaskId& task, const NodeId& node) const;
    bool is_unfit(const TaskId& task, const NodeId& node) const;
    bool may_play(const TaskId& task, const NodeId& node, const Sid& sid) const;
    bool can_play(const TaskId& task, const NodeId& node, const Sid& sid) const;
    bool still_has(const TaskId& task, const NodeId& node, const std::vector<const SegmentSnapshot*>& parts) const;
    bool is_bound(const TaskView& task, const InstanceView& instance) const;
    NodeId node_to_go_on(const TaskView& task, const InstanceView& before, const Checkpoint* from,
                         const std::set<NodeId>& taken = {}) const;
    std::optional<NodeId> other_node_for_stage(const TaskView& task, const InstanceView& before,
                                               const std::set<NodeId>& taken) const;
    static bool is_placed_again(const InstanceView& instance);
    [[nodiscard]] std::map<Sid, Vacancy> begin_again(Run& run);
    void place_vacant(const TaskId& task, const std::map<Sid, Vacancy>& vacant);
    bool try_other_snapshot(const TaskId& task, const InstanceId& culprit, const Error& error);
    bool record_progress(const TaskView& task);
    std::set<NodeId> awaited_nodes(const TaskId& task) const;
    void tell_wait(const TaskView& task, const Sid& sid, const NodeId& node);
    bool extend_wait(const TaskId& task);
    void end_waits(const NodeId& back);
    bool need_not_wait(const TaskId& task) const;
    bool leave(const InstanceView& before, const NodeId& next, const InstanceId& culprit, Fault fault,
               const std::string& reason);
    std::map<Sid, Continuation> continuations(const TaskView& task, const std::vector<const InstanceView*>& before,
                                              const Checkpoint* from, const InstanceId& culprit) const;
    const InstanceView* standby_for(const TaskView& task, const InstanceView& before, const Checkpoint* from,
                                    const NodeId& node, const std::set<InstanceId>& taken) const;
    // Standbys (run_standbys.cpp).
    std::vector<const InstanceView*> processes(const TaskId& task) const;
    void await_standbys(const TaskId& task);
    void adopt_standbys(const TaskId& task, TimePoint until, const std::string& why);
    void fill_standbys(const TaskId& task);
    void check_standbys();
    void replace_standby(const InstanceId& standby, const std::string& reason);
    void dismiss_standby(const InstanceId& standby, const std::string& reason);
    bool is_surplus(const InstanceView& standby) const;
    const InstanceView* ready_standby_on(const TaskId& task, const NodeId& node,
                                         const std::vector<InstanceId>& taken) const;
    InstanceId start_for_recut(const TaskId& task, const NodeId& node, const NextPlan& next);
    std::optional<TimePoint> standby_deadline(const Run& run) const;
    std::optional<NodeId> node_for_standby(const TaskView& task, const task::TaskSpec& spec) const;
    bool is_alike(const NodeId& own, const NodeId& other) const;
    void standby_ready(const InstanceView& instance, const InstancePrepared& message);
    void resume_standby(const Received& received, const RegisterInstance& message);
    InstanceId take_standby(const InstanceId& standby, const Sid& sid);
    bool handle_standby_fault(const TaskId& task, const InstanceId& culprit, const Error& error, Fault fault);
    Restore restore(const InstanceView& instance) const;
    Deploy deploy(const InstanceView& instance) const;
    Peers peers(const TaskView& task, const InstanceView& of, bool begun) const;
    MicId mic_of(const NodeId& node) const;
    Begin begin(const TaskView& task) const;
    void resume(const Received& received, const RegisterInstance& message);
    void all_joined(const TaskId& task);
    void all_ready(const TaskId& task);
    void step_done(const TaskId& task, const StepRecord& record);
    void evaluated(const TaskId& task, const EvalRecord& record);
    void advance_phase(Run& run, const TaskView& task);
    Duration patience(const TaskView& task) const;
    void look_for_stuck(Run& run, const InstanceLoad& load);
    std::string awaited_by(const TaskId& task, const Run& run) const;
    void say_who_is_awaited(const TaskId& task, const Run& run);

    /// Handles a fault. Unless the task recovers, its first failure becomes the task's error. Failures that follow from
    /// it, such as lost peers, do not.
    void fail(const TaskId& task, const InstanceId& culprit, Error error, Fault fault = Fault::said);
    void end_instances(const TaskId& task, Outcome outcome, std::optional<Error> error, const std::string& reason);
    void kill_instances(const TaskId& task);
    void ended(const InstanceId& instance, const std::string& detail);
    void finish_if_all_gone(const TaskId& task);
    void check_away();
    void missed_deadline(const TaskId& task);
    /// Returns when the task's time limit ends, in lived time; none if it has no limit.
    std::optional<TimePoint> end_of_time(const TaskId& task) const;

    OrchestratorContext& context_;
    const Models& models_;
    const MeshDevices& devices_;
    Leases& leases_;
    KeptProcesses& kept_;
    std::map<TaskId, Run> runs_;
    std::set<TaskId> ending_;  ///< ending tasks of `runs_`; a separate set, since nodes report too often to search all
    std::map<InstanceId, InstanceLoad> new_loads_;  ///< returned by take_new_loads()
};

}  // namespace divisi::control::inline runs
