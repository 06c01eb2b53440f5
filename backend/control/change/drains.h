// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "backend/control/change/recuts.h"
#include "backend/control/core/orchestrator_context.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/data_instances.h"
#include "backend/control/runs/node_fitness.h"

namespace divisi::control::inline change {

/// Time after a failed move until the move is tried again.
inline constexpr Duration drain_retry = std::chrono::seconds(10);

/// Drains nodes. Draining a lost node retires the node, which also clears the alert about its silence. Training tasks
/// with stages or data instances on a drained node move to other nodes, one after the other. Batches stay where they
/// run until they end. A task that no node can take now is retried. The state records which nodes are drained, so a
/// restarted orchestrator continues.
class Drains {
public:
    Drains(OrchestratorContext& context, const TaskQueue& queue, Recuts& recuts, DataInstances& data,
           const NodeFitness& fitness)
        : context_(context), queue_(queue), recuts_(recuts), data_(data), fitness_(fitness) {}

    void adopt();  ///< continues the drains after a restart
    void handle(const Received& received, const DrainNode& message);
    /// Moves the next task, and logs when nothing runs on a drained node any more. Called after each input, and after
    /// Recuts.
    void poll();
    void follow(const Event& event);
    std::optional<TimePoint> next_deadline() const;  ///< earliest deadline, in lived time

private:
    /// The wait before a task that could not be moved is tried again.
    struct Wait {
        std::optional<TimePoint> until;  ///< time of the next attempt, in lived time; none: the next opportunity
        std::string why;                 ///< reason, as last logged
    };

    Result<void> check(const NodeId& node) const;
    Result<void> check_move(const ClusterState& after, const TaskView& task, const NodeId& node) const;
    std::map<TaskId, const InstanceView*> data_to_move() const;
    void move_data();
    bool waits(const TaskId& task) const;
    void tell_drained();
    std::map<TaskId, NodeId> tasks_to_move() const;
    void move_next();
    void put_off(const TaskId& task, const Error& error);

    OrchestratorContext& context_;
    const TaskQueue& queue_;
    Recuts& recuts_;
    DataInstances& data_;
    const NodeFitness& fitness_;
    std::set<NodeId> nodes_;        ///< drained nodes on which something may still run
    std::optional<TaskId> moving_;  ///< task that is being moved
    std::map<TaskId, Wait> waits_;
    bool changed_ = false;  ///< whether a delayed move may be possible now
};

}  // namespace divisi::control::inline change
