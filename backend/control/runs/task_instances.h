// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/protocol/plan_summary.h"
#include "backend/control/state/event.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline runs {

// Instances of running tasks, as the state has them.

/// Returns the SID of a stage or of a data instance.
Sid sid_in(const TaskId& task, std::int32_t stage, std::size_t replica = 0);
/// Returns the event for a plan. Its units name the instances that are placed next.
TaskPlanned planned_as(const ClusterState& state, const TaskId& task, Generation generation, const PlanSummary& plan);

/// Returns whether all instances were told to begin. Before that, the task needs its data instances as well as its
/// stages.
bool has_begun(const ClusterState& state, const TaskId& task);
/// Returns whether a report with this generation is about the plan in force.
bool is_in_force(const ClusterState& state, const TaskId& task, Generation generation);
/// Returns whether the instance is known and the newest incarnation of its SID, which is not retired.
bool is_current(const ClusterState& state, const InstanceId& instance);

bool is_dealt(const InstanceView* instance);
/// Returns whether the instance has neither ended nor finished nor failed.
bool takes_part(const InstanceView* instance);
/// Returns the instances without which the task cannot continue now.
std::vector<const InstanceView*> needed_instances(const ClusterState& state, const TaskId& task);
/// Returns the dealt instances that take part, or will.
std::vector<const InstanceView*> dealt_instances(const ClusterState& state, const TaskId& task);
/// Returns the instances and standbys of a task. The task is over once all of them have ended.
std::vector<const InstanceView*> processes_of(const ClusterState& state, const TaskId& task);

/// Returns whether the instance belongs to the next generation. A dealt data instance that has ended does not.
bool is_placed_again(const InstanceView& instance);
/// Returns whether the instance must stay on its node: the client brought files of the task to nodes, or the instance
/// reads data files that lie on its node.
bool is_bound(const ClusterState& state, const InstanceView& instance);
/// Returns whether an instance on `own` would compute the same on `other`, equally near to its peers and equally
/// secure.
bool is_alike(const ClusterState& state, const NodeId& own, const NodeId& other);

}  // namespace divisi::control::inline runs
