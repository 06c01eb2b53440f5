// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "backend/control/change/recuts.h"
#include "backend/control/core/desk.h"
#include "backend/control/queue/task_queue.h"
#include "backend/control/runs/runs.h"

namespace divisi::control::inline change {

/// After a move that came to nothing, until the task is tried again.
inline constexpr Duration drain_retry = std::chrono::seconds(10);

/// Drains nodes, also one that is lost: that retires it, and no alert says any more that it is silent. Trainings that
/// have stages or data instances there move to others, one after the other; batches end there, and what no node can
/// take now is tried again. Which nodes are drained is in the state, so that a restarted orchestrator goes on.
class Drains {
public:
    Drains(Desk& desk, const TaskQueue& queue, Recuts& recuts, Runs& runs)
        : desk_(desk), queue_(queue), recuts_(recuts), runs_(runs) {}

    void adopt();  ///< after a restart
    void handle(const Received& received, const DrainNode& message);
    /// After each input, and after Recuts: the next task moves, and a node where nothing runs any more is told.
    void look();
    void follow(const Event& event);
    std::optional<TimePoint> next_deadline() const;  ///< in lived time

private:
    /// A task that could not be moved.
    struct Wait {
        std::optional<TimePoint> until;  ///< lived; none: it is tried at the next occasion
        std::string why;                 ///< as the log was told last
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

    Desk& desk_;
    const TaskQueue& queue_;
    Recuts& recuts_;
    Runs& runs_;
    std::set<NodeId> nodes_;        ///< that are drained and may still run something
    std::optional<TaskId> moving_;  ///< the one that is on its way
    std::map<TaskId, Wait> waits_;
    bool changed_ = false;  ///< something may go on
};

}  // namespace divisi::control::inline change
