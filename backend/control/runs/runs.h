// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/network/mesh_devices.h"
#include "backend/control/protocol/plan_summary.h"
#include "backend/control/queue/kept_processes.h"
#include "backend/control/queue/models.h"
#include "backend/control/runs/leases.h"
#include "backend/control/types/recut_types.h"
#include "backend/control/types/restart_budget.h"

namespace divisi::control::inline runs {

/// A plan that a task goes on by, after a checkpoint of the one before it.
struct NextPlan {
    PlanSummary plan;  ///< with its units named
    std::string text;  ///< the task file that it is compiled from
    std::vector<StageOrigin> origins;
    std::int64_t step = 0;  ///< of the checkpoint; the nodes of all stages have what they begin with
    std::string by;         ///< who asked for it
    /// By stage, in whose process it runs: of an instance of the plan before it, or of a standby.
    std::vector<InstanceId> processes = {};
};

/// The role of a stage, or of a data instance.
Sid sid_in(const TaskId& task, std::int32_t stage, std::size_t replica = 0);

/// Tasks that have left the queue: their instances register, prepare, train and end. Where each of them is, is in the
/// state, so that a restarted orchestrator adopts them; deadlines and loads are known here alone.
class Runs {
public:
    Runs(Desk& desk, const Models& models, const MeshDevices& devices, Leases& leases, KeptProcesses& kept)
        : desk_(desk), models_(models), devices_(devices), leases_(leases), kept_(kept) {}

    /// Places the instances of a task: of the plan's stages on the first `nodes`, of data units of their own on the
    /// last.
    void start(const TaskId& task, const PlanSummary& plan, const std::vector<NodeId>& nodes);
    /// In whose processes the stages of a task's next plan are to run, by stage: instances that go on where they are,
    /// ready standbys, else standbys that are started for it and get ready for that plan.
    std::vector<InstanceId> prepare_recut(const TaskId& task, const NextPlan& next);
    /// Its stages stand still for that plan, so that nobody who gets nothing from them has anything to complain of.
    void stand_still(const TaskId& task);
    /// It comes to nothing: what was started for it ends.
    void give_up_recut(const TaskId& task);
    /// A task that trains goes on by another plan, from the next generation on.
    void recut(const TaskId& task, const NextPlan& next);
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
    void handle(const Received& received, const InstanceActivated& message);

    /// Whether a data instance of a task could go on on another node than this one. Fails (unavailable) where none may
    /// or can read the data.
    Result<void> can_move_data(const TaskId& task, const NodeId& from) const;
    /// Nodes that a fault has made unfit for the task, until they join again.
    std::set<NodeId> unfit_nodes(const TaskId& task) const;
    /// Why a stage of the task's next plan is not to go to a node: it failed there too often. None where it may.
    std::optional<Error> worn_out(const TaskId& task, std::int32_t stage, const NodeId& node) const;
    /// Ends a data instance that takes part in a task which trains, and starts the next incarnation of its SID on
    /// another node; what it was dealt is dealt again. `why`: for the log. Fails as can_move_data(), changing nothing.
    Result<void> move_data(const InstanceId& instance, const std::string& why);

    /// A node registered: what runs there of no living task is to end, what should run there and does not has ended
    /// unseen, and what was never heard of was never asked for.
    void node_joined(const NodeId& node, const std::vector<InstanceId>& running);
    /// A node reports the processes that live on it.
    void node_reported(const NodeId& node, const std::vector<InstanceId>& alive);
    void node_lost(const NodeId& node, NodeState state);
    /// The connection of an instance is gone; it has a while to come back. `death`: Sessions::Away.
    void instance_gone(const InstanceId& instance, PeerId peer, const std::string& why,
                       std::optional<Death> death = {});
    /// Tasks whose nodes or instances are away say so, and for whom they wait; they go on by themselves.
    void say_who_is_awaited();
    void shut_down();

    void check_deadlines();
    std::optional<TimePoint> next_deadline() const;  ///< in lived time
    void follow(const Event& event);

    /// The last load of each instance that runs.
    std::vector<InstanceLoad> loads() const;
    /// Of each instance that has reported since the last call, the newest.
    std::vector<InstanceLoad> take_new_loads();

private:
    /// A data instance that died and that no node can run now.
    struct Vacancy {
        InstanceId last;    ///< who played the SID
        std::string why;    ///< it died
        TimePoint until{};  ///< then it is given up, in lived time
    };
    /// Of a task's data instances. A restarted orchestrator counts anew.
    struct DataCare {
        std::map<Sid, RestartBudget> restarts;
        std::map<Sid, Vacancy> vacant;
        std::map<InstanceId, TimePoint> arriving;  ///< started while the task runs; when they must be, in lived time
        std::set<NodeId> unfit;                    ///< whose agents could not start one, until they join again
    };
    /// How it is known that something went wrong.
    enum class Fault {
        said,    ///< by the instance itself, whose process goes on until it is told to end; or decided here
        lost,    ///< nobody has heard of it for too long
        exited,  ///< its process is gone
        none,    ///< nothing did: what was waited for need not be any more
    };
    /// What the answers to faults have used up. A restarted orchestrator counts anew.
    struct FaultCare {
        std::map<Sid, RestartBudget> recoveries;  ///< by whose fault; of nobody's in particular by the task's id
        std::set<NodeId> unfit;                   ///< whose agents could not start one, or end, until they join again
        std::map<NodeId, std::set<Sid>> worn;     ///< where these died as often as they may, until it joins again
        std::map<NodeId, std::map<Sid, std::size_t>> faults_on;  ///< how many each had there, until it joins again
        std::set<std::pair<NodeId, std::string>> gone;  ///< snapshots that a node had, by hash, until it joins again
        std::int64_t reached = 0;                       ///< the furthest step at which something failed
        std::size_t fruitless = 0;                      ///< recoveries in a row that came no further
        std::optional<TimePoint> waits_since;           ///< for nodes that alone can go on, in lived time
    };
    /// Of the idle processes that a task keeps ready. A restarted orchestrator counts anew.
    struct StandbyCare {
        std::int64_t wanted = 0;                   ///< by the task file
        std::optional<TimePoint> again;            ///< when those that it lacks are started, in lived time
        std::map<InstanceId, TimePoint> arriving;  ///< not ready yet; when they must be, in lived time
        RestartBudget deaths{standby_deaths};      ///< of all of them together
        bool short_of = false;                     ///< it was said that there is no room
        std::set<InstanceId> for_recut;            ///< started for the next plan, beyond those that are wanted
        std::string next_text, next_plan;          ///< what these compile, and its hash
    };
    /// Where a SID goes on in the next generation.
    struct Continuation {
        NodeId node;
        InstanceId standby;  ///< whose process plays it; empty: its own one, or a new one
    };
    /// What is not in the state.
    struct Run {
        std::map<InstanceId, InstanceLoad> loads;  ///< the last that each reported
        std::set<InstanceId> heard;                ///< who has reported under the policy in force
        std::set<InstanceId> suspect;              ///< in one operation for too long
        bool stands = false;                       ///< its stages were told to begin no step, for a re-cut
        std::optional<TimePoint> deadline;         ///< in lived time
        bool killing = false;
        DataCare data;
        FaultCare faults;
        StandbyCare standbys;
        /// Of a cluster that ended with whoever started it: unless a node still has instances of it, it is over.
        bool left = false;
    };

    /// Where the instance is the newest incarnation of its SID.
    Run* run_of(const InstanceId& instance);
    void tell_peers(const TaskId& task, bool begun);
    /// `from`: whose process plays it; empty: a new one.
    InstanceId place(const TaskId& task, Generation generation, const Sid& sid, const NodeId& node, std::int32_t stage,
                     std::int32_t threads, const InstanceId& from = {});
    TaskPlanned planned(const TaskId& task, Generation generation, const PlanSummary& plan) const;
    /// Whether the report of an instance is about the plan in force.
    bool in_force(const TaskId& task, Generation generation) const;
    void tell_unkept(const ResumeInstance& heard, const RegisterInstance& message);
    const TaskView& task_of(const InstanceView& instance) const { return desk_.state().tasks.at(instance.task); }
    bool all(const TaskId& task, bool (*holds)(const InstanceView&)) const;
    // Which leases the first data activate (run_leases.cpp).
    bool is_woken_by_data(const InstanceView& instance) const;
    // Data instances that are dealt come and go while the task runs (run_data.cpp).
    bool begun(const TaskId& task) const;
    std::vector<const InstanceView*> needed(const TaskId& task) const;
    std::vector<const InstanceView*> dealt(const TaskId& task) const;
    bool is_spared(const TaskId& task, const InstanceId& culprit, const Error& error);
    void add_data(const TaskId& task, const NodeId& node);
    InstanceId start_data(const TaskId& task, const Sid& sid, const NodeId& node);
    void end_data(const InstanceId& instance, const std::string& reason);
    void tell_missing_gateways(const TaskId& task) const;
    void joins_later(const TaskId& task);
    void begins_later(const InstanceId& instance);
    std::optional<NodeId> node_for_data(const TaskId& task, const NodeId& leaving = {}) const;
    // One that dies is started again (run_replacements.cpp).
    std::optional<std::string> not_replaced(const TaskId& task, const Sid& sid, const Error& error);
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
    // Faults that a task survives (run_recovery.cpp).
    bool recovers(const TaskId& task, const InstanceId& culprit, Error& error, Fault fault);
    std::optional<Error> not_recovered(const TaskId& task, const InstanceId& culprit, const Error& error);
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
    bool is_fit_for_damage(const TaskId& task, const InstanceId& culprit, const Error& error);
    bool has_gained(const TaskView& task);
    std::set<NodeId> awaited_nodes(const TaskId& task) const;
    void tell_wait(const TaskView& task, const Sid& sid, const NodeId& node);
    bool waits_longer(const TaskId& task);
    void end_waits(const NodeId& back);
    bool need_not_wait(const TaskId& task) const;
    bool leave(const InstanceView& before, const NodeId& next, const InstanceId& culprit, Fault fault,
               const std::string& reason);
    std::map<Sid, Continuation> continuations(const TaskView& task, const std::vector<const InstanceView*>& before,
                                              const Checkpoint* from, const InstanceId& culprit) const;
    const InstanceView* standby_for(const TaskView& task, const InstanceView& before, const Checkpoint* from,
                                    const NodeId& node, const std::set<InstanceId>& taken) const;
    // Idle processes that are kept ready (run_standbys.cpp).
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
    bool loses_standby(const TaskId& task, const InstanceId& culprit, const Error& error, Fault fault);
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
    void pass_cycle(Run& run, const TaskView& task);
    Duration patience(const TaskView& task) const;
    void look_for_stuck(Run& run, const InstanceLoad& load);
    std::string awaited_by(const TaskId& task, const Run& run) const;
    void say_who_is_awaited(const TaskId& task, const Run& run);

    /// Unless the task recovers from it, the first failure is its error; what follows from it (peers that miss each
    /// other) is not.
    void fail(const TaskId& task, const InstanceId& culprit, Error error, Fault fault = Fault::said);
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
    KeptProcesses& kept_;
    std::map<TaskId, Run> runs_;
    std::set<TaskId> ending_;                       ///< of them: nodes report too often to look at all
    std::map<InstanceId, InstanceLoad> new_loads_;  ///< see take_new_loads()
};

}  // namespace divisi::control::inline runs
