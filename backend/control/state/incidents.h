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

/// What became of a fault.
enum class IncidentAnswer : std::uint8_t {
    none = 0,      ///< not yet: the task waits, or it is being decided
    passed = 1,    ///< who was away is back, and the task went on as it was
    recovers = 2,  ///< it goes on from its last checkpoint as another generation
    spared = 3,    ///< a data instance is gone, and the task goes on without it
    replaced = 4,  ///< another process plays the SID, and nothing is done again
    failed = 5,    ///< the task has failed
    stopped = 6,   ///< somebody stopped the task meanwhile
};
const char* to_string(IncidentAnswer answer);

/// A fault that a task met, and how it got over it. Times are those of the events; TimePoint{}: not yet, or it was not
/// seen.
struct Incident {
    std::uint64_t number = 0;  ///< among those of one fold, in the order in which they began
    TaskId task;
    InstanceId culprit;  ///< whose fault it was; empty: its node's or, without one, nobody's in particular
    NodeId node;
    std::string fault;
    TimePoint fault_time{};  ///< the first sign of it
    TimePoint detected{};    ///< it was certain
    TimePoint decided{};     ///< it was answered: as `answer` says
    TimePoint restored{};    ///< the instances that go on are prepared
    TimePoint resumed{};     ///< the task goes on: the first step of the new generation
    TimePoint caught_up{};   ///< the first step beyond `last_step`
    std::int64_t from_step = 0;
    std::optional<std::int64_t> last_step;  ///< the furthest that was done before; none: it was not seen
    Generation generation = 0;              ///< as which the task recovers; else 0
    IncidentAnswer answer = IncidentAnswer::none;
    std::string outcome;  ///< why it did not get over it: the error, or what came between
    bool open = true;

    /// Steps that are done again; none where it is not known.
    std::optional<std::int64_t> replayed() const;
    bool operator==(const Incident&) const = default;
};

/// Incidents that are kept, the newest: as many as a person reads, ...
inline constexpr std::size_t incident_limit = 300;
/// ... and so many of one task, so that one that fails over and over leaves room for the others.
inline constexpr std::size_t task_incident_limit = 50;

/// The incidents of a cluster: a fold of its events, oldest first. Of a task there is one incident at a time until it
/// is answered; what follows from the same fault (peers that miss each other, more instances of a lost node) is part of
/// it.
class Incidents {
public:
    /// An event that was taken already (its sequence is not above the last one's) is ignored.
    void take(const Event& event);
    /// Goes on from a snapshot: takes what is new among its recent events, among which are no steps, and closes what
    /// has ended unseen. Begins anew where the state is of another log.
    void resume(const ClusterState& state);

    const std::deque<Incident>& all() const { return incidents_; }

private:
    struct Placed {
        NodeId node;
        std::int32_t stage = 0;
        Generation generation = 1;
        bool loaded = false;
        bool alive = true;  ///< takes part in the task, or will
    };
    /// Of a task that is not over.
    struct Course {
        std::map<InstanceId, Placed> instances;
        std::set<std::string> signs;           ///< who is away or suspect: instances and nodes
        std::optional<std::int64_t> furthest;  ///< step
        Generation generation = 0;             ///< in force
        std::uint64_t undecided = 0;           ///< number of the incident that is not answered; 0: none
        std::vector<std::uint64_t> answered;   ///< those that the task has not got over
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
    void on(const E&) {}  // tells nothing of faults

    Course* course_of(const TaskId& task);
    Course* course_of(const InstanceId& instance);
    Incident* find(std::uint64_t number);
    /// The task's incident that is not answered; a new one where there is none.
    Incident& undecided(const TaskId& task, Course& course);
    void forget_oldest(const TaskId& task);
    void sign(const TaskId& task, Course& course, const std::string& who, const Incident& told);
    void lift(Course& course, const std::string& who);
    void lost(const TaskId& task, Course& course, const InstanceId& instance, const std::string& why);
    void decide(Course& course, Incident& incident, IncidentAnswer answer);
    void close(Course& course, Incident& incident);
    /// All that the task has not got over; `why`: what came between, if anything did.
    void close_answered(Course& course, const std::string& why);
    void replace(const TaskId& task, Course& course, const InstanceId& instance);
    void pass(Course& course);
    Incident* unresumed(const Course& course);
    void end(const TaskId& task, Course& course, Outcome outcome, const std::optional<Error>& error);
    void learn(const ClusterState& state);
    void reconcile(Course& course, const TaskView& task);

    std::deque<Incident> incidents_;
    std::map<TaskId, Course> courses_;
    std::uint64_t sequence_ = 0, last_number_ = 0;
    TimePoint time_{};
    bool without_steps_ = false;  ///< events are taken among which steps are missing
};

}  // namespace divisi::control::inline state
