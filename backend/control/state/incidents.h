// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

/// The answer to a fault.
enum class IncidentAnswer : std::uint8_t {
    none = 0,      ///< not answered yet: the task waits, or the answer is being decided
    passed = 1,    ///< the absent peer is back, and the task continued unchanged
    recovers = 2,  ///< the task continues as another generation, from a checkpoint or its beginning
    spared = 3,    ///< a data instance is gone, and the task continues without it
    replaced = 4,  ///< another process takes over the SID, and no work is repeated
    failed = 5,    ///< the task has failed
    stopped = 6,   ///< the task was stopped before an answer
};
const char* to_string(IncidentAnswer answer);

/// A fault of a task and its recovery. Times are the times of the events; TimePoint{} means that the event has not
/// happened yet or was not seen.
struct Incident {
    std::uint64_t number = 0;  ///< unique in one log; incidents are numbered in order of beginning
    TaskId task;
    InstanceId culprit;  ///< instance at fault; empty: the node is at fault or, if `node` is empty too, unknown
    NodeId node;
    std::string fault;
    TimePoint fault_time{};  ///< time of the first sign of the fault
    TimePoint detected{};    ///< time at which the fault was certain
    TimePoint decided{};     ///< time at which `answer` was decided
    TimePoint restored{};    ///< time at which the continuing instances are prepared
    TimePoint resumed{};     ///< time at which the task continues, for example with a step of the new generation
    TimePoint caught_up{};   ///< time of the first step beyond `last_step`
    std::int64_t from_step = 0;
    std::optional<std::int64_t> last_step;  ///< furthest step done before the fault; none: not seen
    Generation generation = 0;              ///< generation in which the task recovers; 0: it does not recover
    IncidentAnswer answer = IncidentAnswer::none;
    std::string outcome;  ///< why the recovery failed: the error, or the event that interrupted the recovery
    bool open = true;

    /// Returns how many steps are repeated; none if unknown.
    std::optional<std::int64_t> replayed() const;
    bool operator==(const Incident&) const = default;
};

/// Maximum number of incidents. The newest are kept, as many as a person can read.
inline constexpr std::size_t incident_limit = 300;
/// Maximum number of incidents of one task, so that a task that keeps failing leaves room for others.
inline constexpr std::size_t task_incident_limit = 50;

/// The incidents of a cluster, oldest first, computed from its events. A task has at most one unanswered incident.
/// Consequences of the same fault belong to that incident, for example peers that lose each other or further instances
/// of a lost node.
class Incidents {
public:
    /// Applies an event. Ignores an event that was already applied: its sequence number is not above the last one.
    void take(const Event& event);
    /// Resumes from a snapshot. Applies the new events among the state's recent events, which include no steps. Closes
    /// incidents whose end was missed. If the state is older than the last applied event, it belongs to another log;
    /// all earlier incidents are then dropped.
    void resume(const ClusterState& state);

    const std::deque<Incident>& all() const { return incidents_; }

private:
    struct Placed {
        NodeId node;
        std::int32_t stage = 0;
        Generation generation = 1;
        bool loaded = false;
        bool alive = true;  ///< whether the instance takes part in the task or will take part
    };
    /// The record of a task that is not over.
    struct TaskTimeline {
        std::map<InstanceId, Placed> instances;
        std::set<std::string> signs;           ///< instances and nodes that are away or suspect
        std::optional<std::int64_t> furthest;  ///< furthest step done
        Generation generation = 0;             ///< generation in force
        std::uint64_t undecided = 0;           ///< number of the unanswered incident; 0: none
        std::vector<std::uint64_t> answered;   ///< answered incidents that the task has not recovered from yet
        bool waits = false, ending = false;

        bool in_force(const Placed& one) const { return !ending && one.generation >= generation; }
    };

    void on(const NodeJoined& event);
    void on(const NodeEnded& event);
    void on(const TaskPlanned& event);
    void on(const InstancePlaced& event);
    void on(const InstanceChanged& event);
    void on(const InstanceLoaded& event);
    void on(const InstanceEnded& event);
    void on(const PhaseChanged& event);
    void on(const StepDone& event);
    void on(const Noted& event);
    void on(const TaskRecovers& event);
    void on(const TaskRecut& event);
    void on(const TaskEnding& event);
    void on(const TaskEnded& event);
    template <typename E>
    void on(const E&) {}  // other events do not concern faults

    TaskTimeline* timeline_of(const TaskId& task);
    TaskTimeline* timeline_of(const InstanceId& instance);
    Incident* find(std::uint64_t number);
    /// Returns the task's unanswered incident; creates one if there is none.
    Incident& undecided(const TaskId& task, TaskTimeline& timeline);
    void forget_oldest(const TaskId& task);
    void sign(const TaskId& task, TaskTimeline& timeline, const std::string& who, const Incident& told);
    void lift(TaskTimeline& timeline, const std::string& who);
    void lost(const TaskId& task, TaskTimeline& timeline, const InstanceId& instance, const std::string& why);
    void decide(TaskTimeline& timeline, Incident& incident, IncidentAnswer answer);
    void close(TaskTimeline& timeline, Incident& incident);
    /// Closes all incidents that the task has not recovered from; `why`: what interrupted the recovery, if anything.
    void close_answered(TaskTimeline& timeline, const std::string& why);
    void replace(const TaskId& task, TaskTimeline& timeline, const InstanceId& instance);
    void pass(TaskTimeline& timeline);
    Incident* unresumed(const TaskTimeline& timeline);
    void end(const TaskId& task, TaskTimeline& timeline, Outcome outcome, const std::optional<Error>& error);
    void learn(const ClusterState& state);
    void reconcile(TaskTimeline& timeline, const TaskView& task);

    std::deque<Incident> incidents_;
    std::map<TaskId, TaskTimeline> timelines_;
    std::uint64_t sequence_ = 0, last_number_ = 0;
    TimePoint time_{};
    bool without_steps_ = false;  ///< whether the events being applied lack steps, as in resume()
};

}  // namespace divisi::control::inline state
