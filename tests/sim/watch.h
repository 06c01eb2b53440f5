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

#include "backend/control/protocol/message.h"
#include "backend/frame/frame.h"
#include "tests/sim/network.h"
#include "tests/sim/training.h"

namespace divisi::sim {

/// All that a state says, as bytes: equal for equal states.
std::string content(const control::ClusterState& state);

/// Looks at every event of the simulated cluster and keeps the first invariant that was violated.
class Watch {
public:
    Watch(World& world, Network& network) : world_(world), network_(network) {}

    /// Asked whether the nodes' disks have all snapshots of one of a task's checkpoints; before the first event.
    void ask_of_disks(std::function<bool(const control::TaskView&)> has) { has_checkpoint_ = std::move(has); }

    void violate(const std::string& what);
    /// A line of what happens, to standard error, where DIVISI_SIM_TRACE is set.
    void say(const std::string& what) const;
    const std::optional<std::string>& violation() const { return violation_; }
    std::size_t events() const { return log_.size(); }

    /// What is durable: no process may know more.
    const control::ClusterState& durable() const { return state_; }
    /// Whether a checkpoint of any task has this snapshot.
    bool keeps(const std::string& hash) const;
    /// An event has become durable; `accuser` is the process that decided on it.
    void durable(const control::Event& event, const std::string& accuser);
    /// An instance takes this tensor.
    void consumed(const frame::TensorFrame& frame);
    /// A stage that is in step `now` was told to stand still after step `after`; 0: it goes on.
    void stands(const InstanceId& instance, std::int64_t after, std::int64_t now);
    /// A stage has done this step.
    void done(const InstanceId& instance, std::int64_t step);
    /// The orchestrator says to an instance that registers that no running task has it.
    void turned_away(const InstanceId& instance);
    /// What has happened to tasks that survive faults.
    std::size_t recoveries() const { return recoveries_; }
    std::size_t checkpoints() const { return checkpoints_; }
    std::size_t recuts() const { return plans_.size(); }
    /// A task that was submitted and that the state does not have, or a lease that nobody has given back; empty: none.
    std::string left_behind() const;
    /// A process of the orchestrator begins with this state.
    void restored(const control::ClusterState& state);

    /// A client was told that its task is queued.
    void promised(const TaskId& task);
    /// A client was told that its task goes on by another plan.
    void recut_promised(const TaskId& task, const control::RecutDone& done);
    /// A follower has begun anew, or goes on; `shown` is its whole state afterwards.
    void follows(const control::ClusterState& shown);
    void follows(const control::ClusterState& shown, const control::Event& event);
    /// Whatever holds something in memory and how much of it, at any moment.
    void holds(const std::string& what, std::size_t count, std::size_t most);
    /// The name of the process that plays a node or an instance now, for accusations.
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
    std::set<TaskId> spent_;  ///< their budgets of recoveries
    /// After which step a stage stands still, and whether it has heard of that before that step's end.
    struct Hold {
        std::int64_t last = 0;
        bool in_time = false;
    };
    std::map<InstanceId, Hold> standing_;
    std::vector<control::TaskRecut> plans_;
    std::size_t recoveries_ = 0, checkpoints_ = 0;
    std::map<std::tuple<std::uint64_t, Generation, std::uint64_t>, Incarnation> producers_;  ///< by task, SID
    std::map<std::string, std::string> players_;
};

}  // namespace divisi::sim
