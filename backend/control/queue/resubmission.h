// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::control::inline queue {

// The orchestrator submits a failed task again, since it has the task's text and model and the client is gone. Files
// that the client brought are on nodes, and nobody brings them again.

/// Returns the submission of a task, unchanged or with an edited `text`. Fails (conflict) if the edited text needs
/// another model or other files than the task came with. Fails (unavailable) if these files never arrived, or a node
/// that has them is away. Fails as parse_task() if the text is not valid.
Result<SubmitTask> resubmission(const ClusterState& state, const TaskView& task, const std::string& text,
                                const std::string& skeleton);

/// Returns the nodes that have the task's files, for its new plan. Returns no nodes if the task brought no files and
/// can run anywhere. Fails (conflict) if the plan needs files on other nodes, and (unavailable) if one of the nodes is
/// away.
Result<std::vector<NodeId>> nodes_with_files(const ClusterState& state, const TaskView& task, const PlanSummary& plan);

}  // namespace divisi::control::inline queue
