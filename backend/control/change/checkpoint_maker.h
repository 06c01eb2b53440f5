// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/control/types/checkpoint_types.h"

namespace divisi::control::inline change {

/// Who makes checkpoints, for state machines that need one.
class CheckpointMaker {
public:
    virtual ~CheckpointMaker() = default;
    /// At the end of which step the next checkpoint of a task that trains is taken, and its stages begin nothing that
    /// follows until it is let go: a plan that goes on from there does no step again. Where stages have gone too far
    /// already, a later step takes its place. `unavailable` while a stage is away, `conflict` where the task ends
    /// before.
    virtual Result<std::int64_t> order_last(const TaskId& task) = 0;
    /// At which step they are to stand or do; none where there will be no checkpoint after it, and they go on.
    virtual std::optional<std::int64_t> last_step(const TaskId& task) const = 0;
    /// Snapshots of that step which are durable where they were taken, while others are still being written; none once
    /// its checkpoint is committed.
    virtual std::vector<SegmentSnapshot> taken(const TaskId& task) const = 0;
    /// Until it is let go, no other checkpoint of the task is committed, so that none that is there goes.
    virtual void hold(const TaskId& task) = 0;
    virtual void let_go(const TaskId& task) = 0;
};

}  // namespace divisi::control::inline change
