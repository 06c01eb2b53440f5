// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/control/protocol/plan_summary.h"
#include "backend/control/types/recut_types.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline runs {

/// The plan with which a task continues after a checkpoint of its previous plan.
struct NextPlan {
    PlanSummary plan;  ///< the plan, with SIDs that name the task
    std::string text;  ///< the task file that the plan is compiled from
    std::vector<StageOrigin> origins;
    std::int64_t step = 0;  ///< step of the checkpoint; each stage's node has the needed snapshots
    std::string by;         ///< name of the requester
    /// The process of each stage: an instance of the old plan, or a standby.
    std::vector<InstanceId> processes = {};
};

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

/// Delay from the start of training to the start of missing standbys. Loading a program occupies a processor for a
/// second, and the first steps of training need the processor.
inline constexpr Duration standby_delay = std::chrono::seconds(1);
/// Interval at which a node is sought again if none had room.
inline constexpr Duration standby_retry = std::chrono::seconds(5);

/// Returns whether the task file, or the planner that completed it, names the nodes of its stages. A standby on another
/// node is then no reason to leave the named nodes.
inline bool places_stages(const task::TaskSpec& spec) {
    return !spec.place.stages.empty() || !spec.place.pins.empty() ||
           std::ranges::any_of(spec.split.segments, [](const auto& segment) { return !segment.place.empty(); });
}

}  // namespace divisi::control::inline runs
