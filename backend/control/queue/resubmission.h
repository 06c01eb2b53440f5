// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::control::inline queue {

// A task that failed is submitted again by the orchestrator, which has its text and model; its client is gone. The
// files that the client brought lie on nodes, and nobody brings them once more.

/// The submission of a task as it was or, with a `text`, edited. Fails (conflict) where the edited text needs another
/// model or other files than the task came with, and (unavailable) where these never arrived, or a node that has them
/// is not there; as parse_task() does where the text is none.
Result<SubmitTask> resubmission(const ClusterState& state, const TaskView& task, const std::string& text,
                                const std::string& skeleton);

/// The nodes that have the task's files, for its new plan; none where it was brought none, and any will do. Fails
/// (conflict) where the plan wants files on other nodes, (unavailable) where one of them is not there.
Result<std::vector<NodeId>> nodes_with_files(const ClusterState& state, const TaskView& task, const PlanSummary& plan);

}  // namespace divisi::control::inline queue
