// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>

#include "backend/control/core/desk.h"

namespace divisi::control::inline change {

/// The node that gets a copy of a snapshot of `task` that lies on `own`, so that the loss of one machine loses no
/// checkpoint: one that is there and has a blob store of its own. On another host before one on the same, one that
/// has a standby of the task, which may go on with it, before others, one that runs a part of the task before
/// others, one of another MIC before one of the same, and of equals the next after `own` in the order of their
/// names. What lies on a secure node goes to secure ones alone, since it may be of operators that a task marks as
/// sensitive. None of `without`; none at all where there is no such node.
std::optional<NodeId> snapshot_neighbour(const Desk& desk, const TaskId& task, const NodeId& own,
                                         const std::set<NodeId>& without = {});

}  // namespace divisi::control::inline change
