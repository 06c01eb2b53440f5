// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "backend/control/protocol/message.h"
#include "backend/control/runs/task_control.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline runs {

/// A part of running tasks that TaskLifecycle calls at the moments below, and which acts through TaskControl. All
/// functions do nothing unless overridden.
class TaskPart {
public:
    virtual ~TaskPart() = default;

    /// Begins to keep books on a task that was placed or adopted. Each part drops them when the task has ended.
    virtual void open(const TaskId&) {}
    /// Adopts a task after a restart. Its instances have until `until` to return; `why` is the reason of their absence.
    virtual void adopt(const TaskId&, TimePoint /*until*/, const std::string& /*why*/) {}
    /// Notes that the instance's node was told to start it.
    virtual void started(const InstanceView&) {}
    /// Notes that all instances of the task were told to begin.
    virtual void training_begun(const TaskId&) {}
    /// The task's instances are about to be placed as the next generation. See TaskControl.
    virtual void begin_generation(const TaskId&) {}
    virtual void generation_placed(const TaskId&) {}

    /// Answers a fault if it can. Returns whether it did; otherwise the task fails with `error`, which it may replace.
    virtual bool handle_fault(const TaskId&, const InstanceId& /*culprit*/, Error& /*error*/, Fault) { return false; }
    /// Handles the report of an instance that has prepared. Returns whether the instance belongs to this part.
    virtual bool handle_prepared(const InstanceView&, const InstancePrepared&) { return false; }
    /// Changes what the instance is deployed with, if this part knows better.
    virtual void complete(const InstanceView&, Deploy&) const {}

    /// Notes that a node could not start an instance of the task, or ends.
    virtual void node_refused(const TaskId&, const NodeId&) {}
    /// Notes that a node registered, before its processes are compared with the state.
    virtual void node_joined(const NodeId&) {}
    /// Notes that the processes of a node that registered are known.
    virtual void node_settled(const NodeId&) {}
    /// Adds what the task waits for.
    virtual void add_awaited(const TaskId&, std::set<std::string>& /*awaited*/) const {}
    /// Extends the wait for nodes on which instances have not registered in time. Returns whether it did. Fails if a
    /// node was awaited in vain.
    virtual Result<bool> extend_wait(const TaskId&) { return false; }

    virtual void check_deadlines() {}
    virtual std::optional<TimePoint> next_deadline() const { return std::nullopt; }  ///< in lived time
};

}  // namespace divisi::control::inline runs
