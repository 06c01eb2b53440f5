// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/instance/kept_segment.h"
#include "agents/instance/snapshots.h"
#include "agents/segment/executor.h"
#include "backend/control/message.h"
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

/// What a process has from the instance that it played before.
struct Kept {
    std::optional<KeptSegment> segment;     ///< of a batch
    std::optional<TrainedSegment> trained;  ///< of a training
    std::vector<KeptPlan> plans = {};       ///< that it has compiled, the one in force first
};

}  // namespace divisi::instance
