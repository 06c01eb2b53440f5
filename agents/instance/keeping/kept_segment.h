// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/instance/keeping/snapshots.h"
#include "agents/segment/executor.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Identifies a loaded segment. Two batch tasks may share it only if all of these fields are equal, byte for byte;
/// information from other processes is not trusted.
struct SegmentKey {
    std::string group;     ///< task::group_hash(): operators, cuts, device; empty: loaded only for this task
    std::string skeleton;  ///< the model's skeleton, with the weights it contains
    std::string weights;   ///< file of the weights outside the skeleton, named by its content; empty: none
    std::int32_t stage = 0;

    bool operator==(const SegmentKey&) const = default;
};

/// A loaded segment that outlives its instance. It belongs to a batch task, whose steps do not change the segment.
struct KeptSegment {
    SegmentKey key;
    std::unique_ptr<segment::Executor> executor;
};

/// A compiled task that outlives its instance, so that the next incarnation of any SID of the task can use it in this
/// process. Plans are equal if their sources are equal.
struct KeptPlan {
    TaskId task;
    std::string text, skeleton;
    std::shared_ptr<const task::CompiledPlan> plan;

    bool is_of(const control::Deploy& deploy) const {
        return task == deploy.task && text == deploy.text && skeleton == deploy.skeleton;
    }
};

/// A segment of a training task, in its state after a step for which the node has a snapshot. The next instance of the
/// process reuses the segment if the instance begins with that snapshot. The snapshot's hash proves that both states
/// are the same; information from other processes is not trusted.
struct TrainedSegment {
    task::TaskSpec spec;
    std::string skeleton;
    segment::SegmentConfig config;
    std::string snapshot;  ///< hash of the blob with the same state
    std::unique_ptr<segment::Executor> executor;

    /// Returns whether this deployment begins with this segment's snapshot, possibly together with other snapshots.
    bool is_begun_with(const control::Deploy& deploy, const task::CompiledPlan& plan) const;
    /// Returns whether this segment equals the `wanted` segment of a plan of the same task in every operator and value.
    bool is(const segment::SegmentConfig& wanted) const;
};

/// The segment that a process needs under its task's next plan, built while the current plan trains. Its memory is
/// allocated, but its state is not restored yet.
struct BuiltSegment {
    std::shared_ptr<const task::CompiledPlan> plan;  ///< the compiled plan, without the step from which the task
                                                     ///< resumes
    std::int32_t stage = 0;
    std::unique_ptr<segment::Executor> executor;

    /// Returns whether the deployment needs this segment under this plan, and restores all of the segment's state
    /// before it runs.
    bool serves(const control::Deploy& deploy, const std::shared_ptr<const task::CompiledPlan>& of) const;
};

/// Returns whether two segments are equal in every operator and value. Their graphs must use the same numbers.
bool is_same(const segment::SegmentConfig& one, const segment::SegmentConfig& other);

/// State that a process keeps from its previous instance.
struct Kept {
    std::optional<KeptSegment> segment;      ///< segment of a batch task
    std::optional<TrainedSegment> trained;   ///< segment of a training
    std::vector<KeptPlan> plans = {};        ///< compiled plans, the current one first
    std::optional<BuiltSegment> built = {};  ///< segment that was built for the next plan
};

}  // namespace divisi::instance
