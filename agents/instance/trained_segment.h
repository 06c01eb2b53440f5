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

/// The segment of a training at the end of a step for which its node has a snapshot. The process's next instance reuses
/// the segment if it begins with that snapshot. The snapshot's hash proves that both states are the same; no statement
/// of another process is trusted.
struct TrainedSegment {
    task::TaskSpec spec;
    std::string skeleton;
    segment::SegmentConfig config;
    std::string snapshot;  ///< hash of the blob with the same state
    std::unique_ptr<segment::Executor> executor;

    /// Returns whether this deployment begins with this segment's snapshot, possibly among others.
    bool is_begun_with(const control::Deploy& deploy, const task::CompiledPlan& plan) const;
    /// Returns whether this is the segment that a plan of the same task needs, equal in every operator and value.
    bool is(const segment::SegmentConfig& wanted) const;
};

/// The segment that a process needs under its task's next plan, built while the current plan trains. Its memory is
/// allocated, but its state is not restored yet.
struct BuiltSegment {
    std::shared_ptr<const task::CompiledPlan> plan;  ///< as compiled, before it is resumed after a step
    std::int32_t stage = 0;
    std::unique_ptr<segment::Executor> executor;

    /// Returns whether this is the segment of that stage and plan, and all of its state will be restored before it
    /// runs.
    bool serves(const control::Deploy& deploy, const std::shared_ptr<const task::CompiledPlan>& of) const;
};

/// Returns whether two segments are equal in every operator and value. Their graphs must use the same numbers.
bool is_same(const segment::SegmentConfig& one, const segment::SegmentConfig& other);

/// State that a process keeps from its previous instance.
struct Kept {
    std::optional<KeptSegment> segment;      ///< of a batch task
    std::optional<TrainedSegment> trained;   ///< of a training
    std::vector<KeptPlan> plans = {};        ///< compiled plans, the current one first
    std::optional<BuiltSegment> built = {};  ///< for the next plan
};

}  // namespace divisi::instance
