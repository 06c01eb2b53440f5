// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/protocol/plan_summary.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline queue {

// Lets the orchestrator submit a failed task again after the client is gone. The orchestrator has the task's text and
// model. The files that the client uploaded must still be on the nodes, since no client uploads them again.

/// Returns the submission of a task, unchanged or with an edited `text`. Fails (conflict) if the edited text needs a
/// model or files that did not come with the task. Fails (unavailable) if these files never arrived, or a node that has
/// them is away. Fails as parse_task() does if the text is not valid.
Result<SubmitTask> resubmission(const ClusterState& state, const TaskView& task, const std::string& text,
                                const std::string& skeleton);

/// Returns the nodes that have the task's files, for its new plan. Returns no nodes if the task has no uploaded files
/// and can run anywhere. Fails (conflict) if the plan needs files on other nodes, and (unavailable) if one of the nodes
/// is away.
Result<std::vector<NodeId>> nodes_with_files(const ClusterState& state, const TaskView& task, const PlanSummary& plan);

}  // namespace divisi::control::inline queue
