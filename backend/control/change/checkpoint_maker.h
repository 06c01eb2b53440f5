// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/control/types/checkpoint_types.h"

namespace divisi::control::inline change {

/// Interface to the maker of checkpoints, for state machines that need a checkpoint.
class CheckpointMaker {
public:
    virtual ~CheckpointMaker() = default;
    /// Orders a checkpoint of a training task and returns the step at whose end it is taken. The stages do not begin
    /// the following step until let_go(), so a plan that continues from the checkpoint repeats no step. If stages have
    /// already passed the step, a later step replaces it. Fails with `unavailable` if a stage is away, and with
    /// `conflict` if the task ends before the step.
    virtual Result<std::int64_t> order_last(const TaskId& task) = 0;
    /// Returns the step after which the stages hold or will hold. Returns none if there is no such step, or if its
    /// checkpoint cannot be made; in that case the stages continue.
    virtual std::optional<std::int64_t> last_step(const TaskId& task) const = 0;
    /// Returns the snapshots of the last step that are already durable on their nodes, while others are still being
    /// written. Returns none once the step's checkpoint is committed.
    virtual std::vector<SegmentSnapshot> taken(const TaskId& task) const = 0;
    /// Prevents commits of other checkpoints of the task until let_go(), so that no existing checkpoint is dropped.
    virtual void hold(const TaskId& task) = 0;
    virtual void let_go(const TaskId& task) = 0;
};

}  // namespace divisi::control::inline change
