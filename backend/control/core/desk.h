// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "backend/control/protocol/orchestrator_io.h"
#include "backend/control/protocol/silence.h"
#include "backend/control/state/machine_clocks.h"

namespace divisi::control::inline core {

/// What the orchestrator's state machines share: the state, which is the fold of what they append; who is connected;
/// the time; and what is to be done next.
class Desk {
public:
    /// Is told of every event as soon as the state has it; it appends none itself.
    using Follower = std::function<void(const Event&)>;

    explicit Desk(OrchestratorLimits limits) : limits_(limits) {}
    void follow(Follower follower) { follower_ = std::move(follower); }

    /// A step begins.
    void set_time(TimePoint now);
    TimePoint now() const { return now_; }
    /// now() without the pauses of this process: patience is measured in it.
    TimePoint lived() const { return lived_; }
    const OrchestratorLimits& limits() const { return limits_; }

    const ClusterState& state() const { return state_; }
    /// The state as a log gives it, before the first step.
    void restore(ClusterState state) { state_ = std::move(state); }
    void replay(const Event& event) { apply(state_, event); }
    /// Folds it into the state and puts it into the output.
    void append(Event::Body body);

    Sessions& sessions() { return sessions_; }
    const Sessions& sessions() const { return sessions_; }
    JobBook& jobs() { return jobs_; }
    /// What nodes say of their machines, the last of each that is there.
    std::map<NodeId, MachineFigures>& machines() { return machines_; }
    const std::map<NodeId, MachineFigures>& machines() const { return machines_; }
    MachineClocks& clocks() { return clocks_; }
    /// Takes a job into the book and the output; refuses what would pass the limit.
    Result<void> begin(JobBook::Asked asked, Job::What what, JobLimit limit);

    void send(PeerId peer, Message message, std::uint64_t correlation = 0);
    /// To a node or an instance, where it is connected; whether it is.
    bool tell(const NodeId& node, Message message);
    bool tell(const InstanceId& instance, Message message);
    void answer(const Received& received, Message message);
    void refuse(const Received& received, Error error);
    /// Refuses what its sender has no right to, and says so in the log, a few lines however often it is tried.
    void deny(const Received& received, Error error);
    /// Somebody who was away is back: a fault that was transient, and was answered by waiting.
    void tell_return(const std::string& who, const TaskId& task, const Sessions::Away& away);
    /// For a task that is not there; where it is the name of some, with their ids.
    Error no_such_task(const TaskId& task) const;
    void log_denial(const Session& peer, const std::string& what);
    /// So many since the orchestrator began, also those that the log left out.
    std::uint64_t denied() const { return denied_; }
    /// Lines that were left out of the log meanwhile, as one line each.
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
    std::map<std::string, NoteLimiter> denials_;  ///< by name: who is denied may come over ever new connections
    std::uint64_t denied_ = 0;
    TimePoint now_{};
    LivedTime time_;
    TimePoint lived_{};
    Output output_;
};

}  // namespace divisi::control::inline core
