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

// A re-cut gives a task that trains another plan: other cuts, or another number of stages. It begins as a recovery
// does, after the step of a checkpoint and as another generation; but the stages of the new plan begin with what the
// snapshots of the old plan's stages have between them.

/// Of a stage of the new plan.
struct StageOrigin {
    NodeId node;                     ///< where it runs
    std::vector<std::int32_t> from;  ///< stages of the old plan that have its operators, the one that has most first
    bool operator==(const StageOrigin&) const = default;
};

// --- messages ----------------------------------------------------------------------------------

/// From operators, to a task that trains: another plan, as soon as it can be, of either these cuts or so many stages
/// or these blocks, or the one before the last re-cut. The old plan trains on until all is ready. Answered by RecutDone
/// once the new plan has trained a step, or by Refused: the task then goes on by the plan that it had.
struct Recut {
    TaskId task;
    std::string plan;               ///< hash of the plan that it changes; empty: the one in force
    std::vector<std::string> cuts;  ///< names of the nodes that the cuts follow
    std::int32_t stages = 0;        ///< 0: as many as `cuts` say
    bool undo = false;
    std::vector<task::SegmentSpec> blocks = {};  ///< instead: all segments of a block partition, as [[split.segment]]
};
struct RecutDone {
    std::string plan;  ///< hash of the new one
    std::vector<std::string> cuts;
    Generation generation = 1;
    std::int64_t step = 0;   ///< after which it took force
    std::int64_t again = 0;  ///< steps that the old plan had trained beyond it
    Bytes brought = 0;       ///< that nodes got from others meanwhile
    double stall_ms = 0;     ///< from the end of the old plan to the first step of the new one
};

/// To the stages of a task that trains, not answered: they begin nothing that follows this step's end until another one
/// is named, or their connection ends. 0: they go on.
struct HoldSteps {
    TaskId task;
    Generation generation = 1;
    std::int64_t after = 0;
};
/// To an instance whose process the task's next plan is to go on in: it compiles that beside what it does, and builds
/// the segment that it is to have then. What it had prepared before it forgets; with the plan in force and no stage,
/// that is all. Answered, as soon as that is done, by a PlanPrepared of its own.
struct PreparePlan {
    TaskId task;
    InstanceId instance;
    std::string text;         ///< the task file with the next plan
    std::int32_t stage = -1;  ///< of that plan, whose segment is built; negative: none is
    std::uint64_t order = 0;  ///< of which re-cut it is, among all that divisid has begun
};
struct PlanPrepared {
    TaskId task;
    InstanceId instance;
    std::string plan_hash;
    std::optional<Error> error = {};  ///< why it has none
    std::uint64_t order = 0;          ///< as it was given
};

// --- events ------------------------------------------------------------------------------------

/// A task goes on by the plan that the TaskPlanned before it says; its instances are placed next.
struct TaskRecut {
    TaskId task;
    Generation generation = 1;
    std::int64_t step = 0;             ///< of the checkpoint that it goes on from
    std::string from, to;              ///< hashes of the plans
    std::string by;                    ///< who asked for it
    std::string text;                  ///< the task file from now on, with the new plan
    std::vector<StageOrigin> origins;  ///< by stage of the new plan
};

}  // namespace divisi::control::inline types
