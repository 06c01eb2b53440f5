// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline runs {

/// The evidence of a fault.
enum class Fault {
    said,    ///< reported by the instance, whose process lives until told to end; or decided here
    lost,    ///< not heard from for too long
    exited,  ///< its process is gone
    none,    ///< no fault: the awaited node is no longer needed
};

/// The place and part of an instance that is to start.
struct InstanceOrder {
    TaskId task;
    Generation generation = 0;
    Sid sid;
    NodeId node;
    std::int32_t stage = 0;
    std::int32_t threads = 0;
    InstanceId from = {};  ///< the instance whose process it takes; empty: a new process
};

/// Interface to the starter of instances.
class InstanceStarter {
public:
    virtual ~InstanceStarter() = default;
    /// Places the next incarnation of a SID, and starts it if it may play on the node now. Returns its id.
    virtual InstanceId place(const InstanceOrder& order) = 0;
};

/// Interface to the lifecycle of running tasks, for the classes that decide about a part of it.
class TaskControl : public InstanceStarter {
public:
    /// Handles a fault. Does nothing if the task is over or ending. `culprit`: the instance at fault; empty: none is.
    virtual void fail(const TaskId& task, const InstanceId& culprit, Error error, Fault fault) = 0;
    /// Updates what a task, or each task, waits for while its nodes or instances are away. Tasks resume by themselves.
    virtual void update_waits(const TaskId& task) = 0;
    virtual void update_waits() = 0;
    /// Tells the instances of a task that has begun where their peers are now.
    virtual void tell_peers(const TaskId& task) = 0;
    /// Forgets what an instance reported, since it no longer takes part.
    virtual void forget_reports(const InstanceId& instance) = 0;
    /// Resets what is known of the task's processes, and starts the time in which the next generation must register.
    virtual void begin_generation(const TaskId& task) = 0;
    /// Notes that all known instances of the next generation are placed. Parts that lack a process place it now.
    virtual void generation_placed(const TaskId& task) = 0;
    /// Starts the time in which instances must register again.
    virtual void extend_registration(const TaskId& task) = 0;
    /// Marks the task's stages as standing still for a re-cut, so that instances that wait for them do not complain.
    virtual void pause_steps(const TaskId& task) = 0;
    /// Ends pause_steps(). Does nothing if the task is over.
    virtual void resume_steps(const TaskId& task) = 0;
    /// Returns whether the cluster ended together with the program that started it, and no node is back yet.
    virtual bool is_left(const TaskId& task) const = 0;
};

}  // namespace divisi::control::inline runs
