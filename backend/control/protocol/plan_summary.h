// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/types/types.h"
#include "backend/task/checkpoint_rule.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline protocol {

/// A unit of the plan and the stage that runs it: a segment number, or data_stage for a separate data instance.
struct PlannedUnit {
    UnitView unit;
    std::int32_t stage = 0;
};

/// The data that the orchestrator needs to queue, place and deploy a task.
struct PlanSummary {
    std::string name;
    std::int64_t priority = 0;
    std::string model;
    std::vector<std::string> cuts;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int32_t stages = 1;
    std::vector<std::string> stage_nodes;  ///< wanted node of each stage; empty: the orchestrator chooses
    std::string data_node;                 ///< wanted node of the data unit; empty: the node of stage 0
    std::int32_t data_instances = 0;       ///< number of instances to which data is dealt; 0: one unit reads all data
    std::vector<std::int32_t> weighted;    ///< stages that read weights of an imported model
    std::int32_t threads = 1;
    std::string device = "cpu";     ///< device of the stages: cpu, cuda, cuda:1
    Bytes memory = 0;               ///< estimated memory of the largest instance; 0: unknown
    std::int64_t most_seconds = 0;  ///< time limit of the task; 0: none
    task::NodeWish wish;
    task::CheckpointRule checkpoint;
    task::FaultAnswer answer = task::FaultAnswer::fail;
    std::string plan_hash;
    std::vector<PlannedUnit> units;
    std::string group;         ///< group of batches that can share processes (batch_group.h)
    std::uint64_t parent = 0;  ///< model version whose weights came with the task; 0: none
    /// Set if this plan replaces another plan of the task (Planning::before). `inherits`: for each stage, the stages of
    /// the old plan that have its operators, largest share first. `begins_with`: names of the values that each stage
    /// reads from the snapshots of the old stages. `weighted_before`: the old plan's `weighted`.
    std::vector<std::vector<std::int32_t>> inherits;
    std::vector<std::vector<std::string>> begins_with;
    std::vector<std::int32_t> weighted_before;

    /// Returns the number of instances without a stage. Lists of nodes have the nodes of these instances last.
    std::int32_t data_apart() const { return data_instances > 0 ? data_instances : data_node.empty() ? 0 : 1; }
};

/// First component of the units' SIDs while a task is planned, before it has an id.
inline constexpr const char* unnamed_task = "task";
/// Replaces `unnamed_task` in the SIDs of the units by the task's id.
void name_units(PlanSummary& plan, const TaskId& task);

}  // namespace divisi::control::inline protocol
