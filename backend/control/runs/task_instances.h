// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/protocol/plan_summary.h"
#include "backend/control/state/event.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline runs {

// Functions about the instances of running tasks in the state.

/// Returns the SID of a stage or of a data instance.
Sid sid_in(const TaskId& task, std::int32_t stage, std::size_t replica = 0);
/// Returns the event for a plan. The units in the event name the instances that are placed next.
TaskPlanned planned_as(const ClusterState& state, const TaskId& task, Generation generation, const PlanSummary& plan);

/// Returns whether all instances were told to begin. Before that, the task needs all its data instances and stages.
bool has_begun(const ClusterState& state, const TaskId& task);
/// Returns whether a report with this generation concerns the plan in force.
bool is_in_force(const ClusterState& state, const TaskId& task, Generation generation);
/// Returns whether the instance is known, is the newest incarnation of its SID, and is not retired.
bool is_current(const ClusterState& state, const InstanceId& instance);

bool is_dealt(const InstanceView* instance);
/// Returns whether the instance has neither ended nor finished nor failed.
bool takes_part(const InstanceView* instance);
/// Returns the instances without which the task cannot continue now.
std::vector<const InstanceView*> needed_instances(const ClusterState& state, const TaskId& task);
/// Returns the data instances to which micro-batches are dealt and that take part or will take part.
std::vector<const InstanceView*> dealt_instances(const ClusterState& state, const TaskId& task);
/// Returns the instances and standbys of a task. The task is over once all these processes have ended.
std::vector<const InstanceView*> processes_of(const ClusterState& state, const TaskId& task);

/// Returns whether the instance belongs to the next generation. All instances do, except dealt data instances that no
/// longer take part.
bool is_placed_again(const InstanceView& instance);
/// Returns whether the instance must stay on its node, because the client uploaded files of the task to nodes, or
/// because the instance reads data files on its node.
bool is_bound(const ClusterState& state, const InstanceView& instance);
/// Returns whether an instance on `own` could move to `other`. On `other`, the instance must compute the same results,
/// stay in the same MIC, and be at least as secure.
bool is_alike(const ClusterState& state, const NodeId& own, const NodeId& other);

}  // namespace divisi::control::inline runs
