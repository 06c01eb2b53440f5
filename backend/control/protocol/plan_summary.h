// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/control/types/types.h"
#include "backend/task/checkpoint_rule.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline protocol {

/// A unit of the plan and the instance that runs it: a segment number, or -1 for a data instance of its own.
struct PlannedUnit {
    UnitView unit;
    std::int32_t stage = 0;
};

/// What the orchestrator must know of a task to queue, place and deploy it.
struct PlanSummary {
    std::string name;
    std::int64_t priority = 0;
    std::string model;
    std::vector<std::string> cuts;
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int32_t stages = 1;
    std::vector<std::string> stage_nodes;  ///< wanted node of each stage; empty: the orchestrator chooses
    std::string data_node;                 ///< wanted node of loading; empty: with stage 0
    std::int32_t data_instances = 0;       ///< that are dealt micro-batches; 0: one unit reads the data
    std::vector<std::int32_t> weighted;    ///< stages that read weights of an imported model
    std::int32_t threads = 1;
    std::string device = "cpu";     ///< of the stages: cpu, cuda, cuda:1
    Bytes memory = 0;               ///< of the instance that needs most, as estimated; 0: not known
    std::int64_t most_seconds = 0;  ///< that it may run; 0: as long as it takes
    task::NodeWish wish;
    task::CheckpointRule checkpoint;
    task::FaultAnswer answer = task::FaultAnswer::fail;
    std::string plan_hash;
    std::vector<PlannedUnit> units;
    std::string group;         ///< see batch_group.h
    std::uint64_t parent = 0;  ///< version of a model whose weights came with the task; 0: none
    /// Where it follows another plan of the task (Planning::before): of each stage, the stages of that plan that have
    /// its operators, the one that has most first; what of their snapshots it begins with, as names of values; and
    /// `weighted` of that plan.
    std::vector<std::vector<std::int32_t>> inherits;
    std::vector<std::vector<std::string>> begins_with;
    std::vector<std::int32_t> weighted_before;

    /// Instances that have no stage: where they stand in a list of nodes, they come after the stages.
    std::int32_t data_apart() const { return data_instances > 0 ? data_instances : data_node.empty() ? 0 : 1; }
};

/// A task is planned before it has an id; until then the SIDs of its units begin with this.
inline constexpr const char* unnamed_task = "task";
/// Lets the SIDs of the units begin with the task's id.
void name_units(PlanSummary& plan, const TaskId& task);

}  // namespace divisi::control::inline protocol
