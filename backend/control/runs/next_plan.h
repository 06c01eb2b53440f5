// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/plan_summary.h"
#include "backend/control/types/recut_types.h"

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

}  // namespace divisi::control::inline runs
