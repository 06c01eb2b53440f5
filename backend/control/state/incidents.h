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
    recovers = 2,  ///< the task continues from its last checkpoint as another generation
    spared = 3,    ///< a data instance is gone, and the task continues without it
    replaced = 4,  ///< another process plays the SID, and no work is repeated
    failed = 5,    ///< the task has failed
    stopped = 6,   ///< the task was stopped meanwhile
};
const char* to_string(IncidentAnswer answer);

/// A fault of a task and its recovery. Times are those of the events; TimePoint{} means not yet, or not seen.
struct Incident {
    std::uint64_t number = 0;  ///< unique in one fold, in order of beginning
    TaskId task;
    InstanceId culprit;  ///< instance at fault; empty: the node or, without a node, nobody in particular
    NodeId node;
    std::string fault;
    TimePoint fault_time{};  ///< first sign of the fault
    TimePoint detected{};    ///< the fault was certain
    TimePoint decided{};     ///< `answer` was decided
    TimePoint restored{};    ///< the continuing instances are prepared
    TimePoint resumed{};     ///< the task continues: first step of the new generation
    TimePoint caught_up{};   ///< first step beyond `last_step`
    std::int64_t from_step = 0;
    std::optional<std::int64_t> last_step;  ///< furthest step done before the fault; none: not seen
    Generation generation = 0;              ///< generation that the task recovers as; otherwise 0
    IncidentAnswer answer = IncidentAnswer::none;
    std::string outcome;  ///< why the recovery failed: the error, or what interrupted it
    bool open = true;

    /// Returns how many steps are repeated; none if unknown.
    std::optional<std::int64_t> replayed() const;
    bool operator==(const Incident&) const = default;
};

/// Maximum number of incidents; the newest are kept, as many as a person reads.
inline constexpr std::size_t incident_limit = 300;
/// Maximum number of incidents of one task, so that a task that keeps failing leaves room for others.
inline constexpr std::size_t task_incident_limit = 50;

/// The incidents of a cluster, oldest first: a fold of its events. A task has one unanswered incident at a time.
/// Consequences of the same fault belong to that incident, such as peers that miss each other or more instances of a
/// lost node.
class Incidents {
public:
    /// Takes an event. Ignores an event that was taken already (its sequence is not above the last one's).
    void take(const Event& event);
    /// Resumes from a snapshot. Takes the new events among its recent ones, which include no steps, and closes
    /// incidents that ended unseen. Starts anew if the state belongs to another log.
    void resume(const ClusterState& state);

    const std::deque<Incident>& all() const { return incidents_; }

private:
    struct Placed {
        NodeId node;
        std::int32_t stage = 0;
        Generation generation = 1;
        bool loaded = false;
        bool alive = true;  ///< participates in the task, or will
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
    void on(const E&) {}  // other events say nothing about faults

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
    bool without_steps_ = false;  ///< the events being taken do not include steps
};

}  // namespace divisi::control::inline state
