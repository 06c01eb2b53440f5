// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline change {

/// Returns the node that gets a copy of a snapshot of `task` from `own`, so that the loss of one machine loses no
/// checkpoint. The node must be connected and have a blob store of its own. A snapshot on a secure node is copied only
/// to secure nodes, since it may belong to operators that a task marks as sensitive.
///
/// Prefers, in this order of importance:
/// 1. a node that is not drained,
/// 2. a node on another host,
/// 3. a node with a standby of the task, which may continue from the copy,
/// 4. a node that runs a part of the task,
/// 5. a node in another MIC,
/// 6. the node whose name follows that of `own`; after the last name comes the first.
///
/// Never returns a node of `without`; returns none if no node is suitable.
std::optional<NodeId> snapshot_neighbour(const OrchestratorContext& context, const TaskId& task, const NodeId& own,
                                         const std::set<NodeId>& without = {});

}  // namespace divisi::control::inline change
