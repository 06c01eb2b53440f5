// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/runs/task_control.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline runs {

/// Interface to a part of task handling. TaskLifecycle calls the functions below; the part acts through TaskControl.
/// All functions do nothing unless overridden.
class TaskPart {
public:
    virtual ~TaskPart() = default;

    /// Starts the records of a task that was placed or adopted. Each part drops its records when the task has ended.
    virtual void open(const TaskId&) {}
    /// Adopts a task after a restart. Its instances have until `until` to return; `why` is the reason of their absence.
    virtual void adopt(const TaskId&, TimePoint /*until*/, const std::string& /*why*/) {}
    /// Called when the instance's node was told to start the instance.
    virtual void started(const InstanceView&) {}
    /// Called when all instances of the task were told to begin.
    virtual void training_begun(const TaskId&) {}
    /// Called when the task's instances are about to be placed as the next generation. See TaskControl.
    virtual void begin_generation(const TaskId&) {}
    virtual void generation_placed(const TaskId&) {}

    /// Answers a fault if possible. Returns whether the fault was answered. Otherwise the task fails with `error`,
    /// which this function may replace.
    virtual bool handle_fault(const TaskId&, const InstanceId& /*culprit*/, Error& /*error*/, Fault) { return false; }
    /// Handles the report of an instance that has prepared. Returns whether the instance belongs to this part.
    virtual bool handle_prepared(const InstanceView&, const InstancePrepared&) { return false; }
    /// Changes the deployment of an instance that this part manages.
    virtual void complete(const InstanceView&, Deploy&) const {}

    /// Called when a node could not start an instance of the task, or when the node ends.
    virtual void node_refused(const TaskId&, const NodeId&) {}
    /// Called when a node registered, before its processes are compared with the state.
    virtual void node_joined(const NodeId&) {}
    /// Called when the processes of a newly registered node are known.
    virtual void node_settled(const NodeId&) {}
    /// Adds the nodes and instances that the task waits for.
    virtual void add_awaited(const TaskId&, std::set<std::string>& /*awaited*/) const {}
    /// Extends the wait for nodes on which instances have not registered in time. Returns whether the wait was
    /// extended. Fails if the wait for a node has ended without success.
    virtual Result<bool> extend_wait(const TaskId&) { return false; }

    virtual void check_deadlines() {}
    virtual std::optional<TimePoint> next_deadline() const { return std::nullopt; }  ///< deadline, in lived time
};

}  // namespace divisi::control::inline runs
