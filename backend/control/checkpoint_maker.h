// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/ids.h"
#include "backend/base/result.h"

namespace divisi::control {

/// Who makes checkpoints, for state machines that need one.
class CheckpointMaker {
public:
    virtual ~CheckpointMaker() = default;
    /// At the end of which step the next checkpoint of a task that trains is taken; a newer one may be committed
    /// instead. `unavailable` while a stage is away, `conflict` where the task ends before.
    virtual Result<std::int64_t> order(const TaskId& task) = 0;
    /// Until it is let go, no other checkpoint of the task is committed, so that none that is there goes.
    virtual void hold(const TaskId& task) = 0;
    virtual void let_go(const TaskId& task) = 0;
};

}  // namespace divisi::control
