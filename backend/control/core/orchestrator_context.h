// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "backend/control/core/sessions.h"
#include "backend/control/protocol/orchestrator_io.h"
#include "backend/control/protocol/silence.h"
#include "backend/control/state/machine_clocks.h"

namespace divisi::control::inline core {

/// Context shared by the orchestrator's state machines. Holds the state, the connected peers, the time, and the output
/// of the current step. The state is computed from the events that the state machines append.
class OrchestratorContext {
public:
    /// A function that is notified of every event as soon as the state includes the event. Appends no events itself.
    using Follower = std::function<void(const Event&)>;

    explicit OrchestratorContext(OrchestratorLimits limits) : limits_(limits) {}
    void follow(Follower follower) { follower_ = std::move(follower); }

    /// Begins a step.
    void set_time(TimePoint now);
    TimePoint now() const { return now_; }
    /// Returns lived time: now() without the pauses of this process. Timeouts are measured in lived time.
    TimePoint lived() const { return lived_; }
    const OrchestratorLimits& limits() const { return limits_; }

    const ClusterState& state() const { return state_; }
    /// Sets the state that was read from a log. Call before the first step.
    void restore(ClusterState state) { state_ = std::move(state); }
    void replay(const Event& event) { apply(state_, event); }
    /// Folds an event into the state and adds it to the output.
    void append(Event::Body body);

    Sessions& sessions() { return sessions_; }
    const Sessions& sessions() const { return sessions_; }
    JobBook& jobs() { return jobs_; }
    /// Returns each connected node's latest report about its machine.
    std::map<NodeId, MachineFigures>& machines() { return machines_; }
    const std::map<NodeId, MachineFigures>& machines() const { return machines_; }
    MachineClocks& clocks() { return clocks_; }
    /// Records a job in the job book and adds it to the output. Refuses a job beyond the limit.
    Result<void> begin(JobBook::Asked asked, Job::What what, JobLimit limit);

    void send(PeerId peer, Message message, std::uint64_t correlation = 0);
    /// Sends a message to a node or an instance, if it is connected. Returns whether the peer is connected.
    bool tell(const NodeId& node, Message message);
    bool tell(const InstanceId& instance, Message message);
    void answer(const Received& received, Message message);
    void refuse(const Received& received, Error error);
    /// Refuses a request that the sender has no right to make. Logs the refusal, at a limited rate.
    void deny(const Received& received, Error error);
    /// Logs that a peer that was away is back: the fault was transient, and waiting resolved it.
    void tell_return(const std::string& who, const TaskId& task, const Sessions::Away& away);
    /// Returns the error for an unknown task. If the text is the name of existing tasks, the error lists some ids.
    Error no_such_task(const TaskId& task) const;
    void log_denial(const Session& peer, const std::string& what);
    /// Returns the number of denials since the orchestrator's start, including denials that were not logged.
    std::uint64_t denied() const { return denied_; }
    /// Logs a summary line for each source whose lines a rate limit suppressed, once the line is due.
    void notes_due();

    Output& output() { return output_; }

private:
    OrchestratorLimits limits_;
    Follower follower_;
    ClusterState state_;
    Sessions sessions_;
    JobBook jobs_;
    std::map<NodeId, MachineFigures> machines_;
    MachineClocks clocks_;
    /// limits the log lines about denials; the key is the client's name, since a client may keep opening connections
    std::map<std::string, NoteLimiter> denials_;
    std::uint64_t denied_ = 0;
    TimePoint now_{};
    LivedTime time_;
    TimePoint lived_{};
    Output output_;
};

}  // namespace divisi::control::inline core
