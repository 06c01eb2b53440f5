// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/state/state.h"
#include "backend/frame/frame.h"
#include "tests/sim/network.h"
#include "tests/sim/training.h"

namespace divisi::sim {

/// Returns a whole state as bytes: equal for equal states.
std::string content(const control::ClusterState& state);

/// Checks every event of the simulated cluster and keeps the first violated invariant.
class Watch {
public:
    Watch(World& world, Network& network) : world_(world), network_(network) {}

    /// Sets the function that says whether the nodes' disks hold all snapshots of one of a task's checkpoints. Call
    /// this before the first event.
    void ask_of_disks(std::function<bool(const control::TaskView&)> has) { has_checkpoint_ = std::move(has); }

    void violate(const std::string& what);
    /// Prints a trace line to standard error if DIVISI_SIM_TRACE is set.
    void say(const std::string& what) const;
    const std::optional<std::string>& violation() const { return violation_; }
    std::size_t events() const { return log_.size(); }

    /// Returns the durable state. No process may have a newer state.
    const control::ClusterState& durable() const { return state_; }
    /// Returns whether a checkpoint of any task has this snapshot.
    bool keeps(const std::string& hash) const;
    /// Checks an event that has become durable; `accuser` is the process that decided on it.
    void durable(const control::Event& event, const std::string& accuser);
    /// Checks a tensor that an instance takes.
    void consumed(const frame::TensorFrame& frame);
    /// Records that a stage was told in step `now` to hold after step `after`; 0: to resume.
    void stands(const InstanceId& instance, std::int64_t after, std::int64_t now);
    /// Checks a step that a stage has done.
    void done(const InstanceId& instance, std::int64_t step);
    /// Checks the orchestrator's refusal of a registering instance that belongs to no running task.
    void turned_away(const InstanceId& instance);
    /// Returns counts of recoveries and other events of tasks that survive faults.
    std::size_t recoveries() const { return recoveries_; }
    std::size_t checkpoints() const { return checkpoints_; }
    std::size_t recuts() const { return plans_.size(); }
    /// Returns a submitted task that is missing in the state, or a lease that was never reclaimed; empty: none.
    std::string left_behind() const;
    /// Checks the state with which an orchestrator process begins.
    void restored(const control::ClusterState& state);

    /// Records that a client was told that its task is queued.
    void promised(const TaskId& task);
    /// Checks the answer that tells a client that its task continues with another plan.
    void recut_promised(const TaskId& task, const control::RecutDone& done);
    /// Checks a process that follows the cluster, after a restart or an event. `shown` is the process's whole state
    /// afterwards.
    void follows(const control::ClusterState& shown);
    void follows(const control::ClusterState& shown, const control::Event& event);
    /// Checks that `what` holds at most `most` entries in memory; `count` is the current number.
    void holds(const std::string& what, std::size_t count, std::size_t most);
    /// Records the process that runs a node or an instance now, to check which peers are declared silent.
    void plays(const std::string& role, const std::string& process) { players_[role] = process; }

private:
    void step(const control::StepDone& event);
    void ended(const control::TaskEnded& event);
    void recovers(const control::TaskRecovers& event);
    void recut(const control::TaskRecut& event);
    bool all_stand(const control::TaskRecut& event) const;
    void committed(const control::CheckpointCommitted& event);
    void reclaim(const control::Receipt& receipt);
    void accuse(const std::string& role, const std::string& why, const std::string& accuser);
    void check_holders();

    std::function<bool(const control::TaskView&)> has_checkpoint_ = [](const control::TaskView&) { return true; };
    World& world_;
    Network& network_;
    std::optional<std::string> violation_;
    control::ClusterState state_;
    std::vector<control::Event> log_;
    std::set<TaskId> submitted_, promised_;
    std::map<TaskId, int> endings_;
    std::map<TaskId, Undisturbed> trainings_;
    std::set<TaskId> spent_;  ///< tasks that have used up their recoveries
    /// The step after which a stage holds, and whether the hold arrived before that step's end.
    struct Hold {
        std::int64_t last = 0;
        bool in_time = false;
    };
    std::map<InstanceId, Hold> standing_;
    std::vector<control::TaskRecut> plans_;
    std::size_t recoveries_ = 0, checkpoints_ = 0;
    /// incarnation of the source of consumed tensors; by task, generation and SID of the source
    std::map<std::tuple<std::uint64_t, Generation, std::uint64_t>, Incarnation> producers_;
    std::map<std::string, std::string> players_;
};

}  // namespace divisi::sim
