// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

// Weighted shares between submitters: each has a virtual time, the node-seconds that its tasks took over its weight,
// and whose is least is next (start-time fair queueing). Who comes after a pause starts at the least of those that are
// there: it gets its share from now on, and nothing for the time that it was away.

/// Submitters that the state remembers; of those without a task the one that is furthest behind goes first, since it
/// would start at the others' virtual time anyway.
inline constexpr std::size_t most_submitters = 4096;

/// The nodes that a task has instances on.
std::set<NodeId> nodes_of(const ClusterState& state, const TaskId& task);
/// What a running task has taken until `now`; 0 while it waits.
double node_seconds(const ClusterState& state, const TaskView& task, TimePoint now);
/// Of every submitter with a task that is not over, what runs included.
std::map<std::string, double> virtual_times(const ClusterState& state, TimePoint now);

/// For the fold: a submitter has a new task, which the state does not have yet.
void begin_share(ClusterState& state, const std::string& submitter, TimePoint now);
/// For the fold: its task ends.
void charge_share(ClusterState& state, const TaskView& task, TimePoint now);

}  // namespace divisi::control::inline state
