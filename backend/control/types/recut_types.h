// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/task/task_spec.h"

namespace divisi::control::inline types {

// A re-cut gives a training task another plan: other cuts, or another number of stages. The new plan begins like a
// recovery, after the step of a checkpoint and as a new generation. Its stages start from the combined snapshots of the
// old stages.

/// The origin of a stage of the new plan.
struct StageOrigin {
    NodeId node;                     ///< node that runs the stage
    std::vector<std::int32_t> from;  ///< stages of the old plan that have its operators, largest share first
    bool operator==(const StageOrigin&) const = default;
};

// --- messages ----------------------------------------------------------------------------------

/// Sent by operators to give a training task another plan as soon as possible. The message names cuts, a number of
/// stages, blocks, or the plan before the last re-cut. The old plan trains until everything is ready.
///
/// Answered by RecutDone once the new plan has trained a step. Answered by Refused if the task continues with its old
/// plan.
struct Recut {
    using Answer = struct RecutDone;
    TaskId task;
    std::string plan;               ///< hash of the plan to change; empty: the plan in force
    std::vector<std::string> cuts;  ///< names of the graph nodes after which to cut
    std::int32_t stages = 0;        ///< number of stages; 0: as many as `cuts` make
    bool undo = false;
    std::vector<task::SegmentSpec> blocks = {};  ///< instead of cuts: all segments, as in [[split.segment]]
};
struct RecutDone {
    std::string plan;  ///< hash of the new plan
    std::vector<std::string> cuts;
    Generation generation = 1;
    std::int64_t step = 0;   ///< step after which the new plan took effect
    std::int64_t again = 0;  ///< steps that the old plan had trained beyond that step
    Bytes brought = 0;       ///< bytes that nodes fetched from other nodes for the re-cut
    double stall_ms = 0;     ///< pause in ms from the end of the old plan to the first step of the new one
};

/// Sent to the stages of a training task, without an answer. The stages start no work after the end of this step, until
/// another HoldSteps arrives or their connection ends. 0: the stages continue.
struct HoldSteps {
    TaskId task;
    Generation generation = 1;
    std::int64_t after = 0;
};
/// Sent to an instance whose process will run the task's next plan. The instance compiles that plan while it continues
/// its work, and builds its future segment. Any plan prepared before is dropped. If the message has the plan in force
/// and no stage, the instance only drops a prepared plan. Answered by PlanPrepared when done.
struct PreparePlan {
    TaskId task;
    InstanceId instance;
    std::string text;         ///< the task file with the next plan
    std::int32_t stage = -1;  ///< stage in the next plan that the instance builds; negative: none
    std::uint64_t order = 0;  ///< number of the re-cut, among all re-cuts that divisid has begun
};
struct PlanPrepared {
    TaskId task;
    InstanceId instance;
    std::string plan_hash;
    std::optional<Error> error = {};  ///< why the plan could not be prepared
    std::uint64_t order = 0;          ///< order of the PreparePlan message
};

// --- events ------------------------------------------------------------------------------------

/// A task continues with the plan of the TaskPlanned before this event. The task's instances are placed next.
struct TaskRecut {
    TaskId task;
    Generation generation = 1;
    std::int64_t step = 0;             ///< step of the checkpoint from which the task continues
    std::string from, to;              ///< hashes of the old and the new plan
    std::string by;                    ///< name of the requester, or "advice"
    std::string text;                  ///< the task file from now on, with the new plan
    std::vector<StageOrigin> origins;  ///< origin of each stage of the new plan
};

}  // namespace divisi::control::inline types
