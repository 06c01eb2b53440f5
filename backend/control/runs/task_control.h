// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline runs {

/// The evidence of a fault.
enum class Fault {
    said,    ///< the instance reported the fault, or the orchestrator found it; the process still runs
    lost,    ///< the process is no longer awaited: it was silent, stuck or late, or its node gave it up
    exited,  ///< the process has ended, or its node was lost
    none,    ///< no fault; the task recovers because a node is back or is asked again
};

/// The node and the role of an instance to start.
struct InstanceOrder {
    TaskId task;
    Generation generation = 0;
    Sid sid;
    NodeId node;
    std::int32_t stage = 0;
    std::int32_t threads = 0;
    InstanceId from = {};  ///< the instance whose process is reused; empty: a new process
};

/// Interface to the starter of instances.
class InstanceStarter {
public:
    virtual ~InstanceStarter() = default;
    /// Places the next incarnation of a SID, and starts it if the SID can start on the node now. Returns the id of the
    /// new instance.
    virtual InstanceId place(const InstanceOrder& order) = 0;
};

/// Interface to the lifecycle of running tasks, for the classes that handle a part of this lifecycle.
class TaskControl : public InstanceStarter {
public:
    /// Handles a fault. Does nothing if the task is over or ending. `culprit`: the instance at fault; empty: none is.
    virtual void fail(const TaskId& task, const InstanceId& culprit, Error error, Fault fault) = 0;
    /// Updates the list of nodes and instances for which the task waits. Marks the task as waiting if the list has
    /// entries, and lets it continue if the list is empty.
    virtual void update_waits(const TaskId& task) = 0;
    virtual void update_waits() = 0;
    /// Tells the instances of a task that has begun where their peers are now.
    virtual void tell_peers(const TaskId& task) = 0;
    /// Forgets the reports of an instance that no longer takes part.
    virtual void forget_reports(const InstanceId& instance) = 0;
    /// Resets the records of the task's processes, and starts the time limit for the registration of the next
    /// generation.
    virtual void begin_generation(const TaskId& task) = 0;
    /// Tells the task's parts (TaskPart) that all known instances of the next generation are placed. A part that lacks
    /// a process places it now.
    virtual void generation_placed(const TaskId& task) = 0;
    /// Restarts the time limit for the registration of instances.
    virtual void extend_registration(const TaskId& task) = 0;
    /// Marks the task's stages as paused for a re-cut, so that instances that wait for them are not reported.
    virtual void pause_steps(const TaskId& task) = 0;
    /// Ends pause_steps(). Does nothing if the task is over.
    virtual void resume_steps(const TaskId& task) = 0;
    /// Returns whether the task was left behind: the cluster ended together with the program that started it, and no
    /// node has returned yet.
    virtual bool is_left(const TaskId& task) const = 0;
};

}  // namespace divisi::control::inline runs
