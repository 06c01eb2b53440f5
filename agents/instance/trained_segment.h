// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/instance/kept_segment.h"
#include "agents/instance/snapshots.h"
#include "agents/segment/executor.h"
#include "backend/control/protocol/message.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// The segment of a training as it stood at the end of a step of which its node has a snapshot: the next instance that
/// the process plays goes on with it where it is to begin with that snapshot. That the two are the same the snapshot's
/// hash says, and nobody's word is taken.
struct TrainedSegment {
    task::TaskSpec spec;
    std::string skeleton;
    segment::SegmentConfig config;
    std::string snapshot;  ///< hash of the blob that has the same state
    std::unique_ptr<segment::Executor> executor;

    /// Whether an instance that is deployed so begins with what this segment has, among others.
    bool is_begun_with(const control::Deploy& deploy, const task::CompiledPlan& plan) const;
    /// Whether it is, operator for operator and value for value, the segment that a plan of the same task asks for.
    bool is(const segment::SegmentConfig& wanted) const;
};

/// The segment that a process is to have by its task's next plan, built while the one before trains: with memory for
/// what is put back into it, and without that.
struct BuiltSegment {
    std::shared_ptr<const task::CompiledPlan> plan;  ///< as it was compiled, before it is resumed after a step
    std::int32_t stage = 0;
    std::unique_ptr<segment::Executor> executor;

    /// Whether it is that of this stage and plan, and all is put back into it before it runs.
    bool serves(const control::Deploy& deploy, const std::shared_ptr<const task::CompiledPlan>& of) const;
};

/// Whether two segments are the same, operator for operator and value for value, whose graphs number them alike.
bool is_same(const segment::SegmentConfig& one, const segment::SegmentConfig& other);

/// What a process has from the instance that it played before.
struct Kept {
    std::optional<KeptSegment> segment;      ///< of a batch
    std::optional<TrainedSegment> trained;   ///< of a training
    std::vector<KeptPlan> plans = {};        ///< that it has compiled, the one in force first
    std::optional<BuiltSegment> built = {};  ///< of the plan that it is to go on by
};

}  // namespace divisi::instance
