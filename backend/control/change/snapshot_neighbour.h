// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline change {

/// Returns the node that gets a copy of a snapshot of `task` from `own`, so that the loss of one machine loses no
/// checkpoint. The node must be connected and have a blob store of its own. A snapshot of a secure node goes only to
/// secure nodes, since it may belong to operators that a task marks as sensitive.
///
/// Nodes are compared in this order:
/// 1. it is not drained,
/// 2. it is on another host,
/// 3. it has a standby of the task, which may continue from the copy,
/// 4. it runs a part of the task,
/// 5. it is in another MIC,
/// 6. it is the next after `own` by name.
///
/// Returns no node of `without`, and none if no node fits.
std::optional<NodeId> snapshot_neighbour(const OrchestratorContext& context, const TaskId& task, const NodeId& own,
                                         const std::set<NodeId>& without = {});

}  // namespace divisi::control::inline change
