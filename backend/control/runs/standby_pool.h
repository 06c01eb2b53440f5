// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/runs/next_plan.h"

namespace divisi::control::inline runs {

/// Interface to the standbys of tasks, for state machines that need a running process.
class StandbyPool {
public:
    virtual ~StandbyPool() = default;
    /// Ends a standby but keeps its process for an instance of this SID. The caller must then tell the node to start
    /// this instance. The standby's lease ends and the instance gets its own. Returns an empty id if the node is away.
    virtual InstanceId take(const InstanceId& standby, const Sid& sid) = 0;
    /// Returns a ready standby on the node that is not in `taken`. If there is none, starts one in addition to the
    /// standbys that the task file asks for. The standby prepares the next plan of the task.
    virtual InstanceId prepare(const TaskId& task, const NodeId& node, const NextPlan& next,
                               const std::vector<InstanceId>& taken) = 0;
    /// Notes that the prepared plan is in force.
    virtual void plan_in_force(const TaskId& task) = 0;
    /// Ends the standbys that prepare() started, since their plan will not take effect.
    virtual void give_up_plan(const TaskId& task) = 0;
};

}  // namespace divisi::control::inline runs
