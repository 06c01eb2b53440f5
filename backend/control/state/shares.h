// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "backend/control/state/state.h"

namespace divisi::control::inline state {

// Weighted shares between submitters (start-time fair queueing). Each submitter has a virtual time: the node-seconds of
// its tasks divided by its weight. The submitter with the least virtual time is next. If a submitter returns after a
// pause, its virtual time is raised to the least virtual time of the submitters present. From then on the submitter
// gets its share, without compensation for the pause.

/// Maximum number of submitters that the state remembers. Among submitters without a task, the submitter with the least
/// virtual time is forgotten first. If this submitter returned, its virtual time would be raised anyway.
inline constexpr std::size_t most_submitters = 4096;

/// Returns the nodes that have instances of a task.
std::set<NodeId> nodes_of(const ClusterState& state, const TaskId& task);
/// Returns the node-seconds that a running task has used until `now`; 0 while the task is queued, and once it is over.
double node_seconds(const ClusterState& state, const TaskView& task, TimePoint now);
/// Returns the virtual time of every submitter with a task that is not over, including its running tasks.
std::map<std::string, double> virtual_times(const ClusterState& state, TimePoint now);

/// Prepares a submitter's share for a new task, which is not in the state yet. Used by apply().
void begin_share(ClusterState& state, const std::string& submitter, TimePoint now);
/// Charges a submitter for a task that ends. Used by apply().
void charge_share(ClusterState& state, const TaskView& task, TimePoint now);

}  // namespace divisi::control::inline state
