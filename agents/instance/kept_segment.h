// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agents/segment/executor.h"
#include "backend/control/protocol/message.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// Identifies a loaded segment. Two batch tasks may share it only if all of this is equal, byte for byte; no statement
/// of another process is trusted.
struct SegmentKey {
    std::string group;     ///< task::group_hash(): operators, cuts, device; empty: loaded for this task alone
    std::string skeleton;  ///< the model's skeleton, with the weights it contains
    std::string weights;   ///< file of the other weights, named by its content; empty: this stage reads none
    std::int32_t stage = 0;

    bool operator==(const SegmentKey&) const = default;
};

/// A loaded segment that outlives its instance. It belongs to a batch task, whose steps do not change it.
struct KeptSegment {
    SegmentKey key;
    std::unique_ptr<segment::Executor> executor;
};

/// A compiled task that outlives its instance: the next incarnation of any of the task's SIDs can use it. It is
/// compared by its sources.
struct KeptPlan {
    TaskId task;
    std::string text, skeleton;
    std::shared_ptr<const task::CompiledPlan> plan;

    bool is_of(const control::Deploy& deploy) const {
        return task == deploy.task && text == deploy.text && skeleton == deploy.skeleton;
    }
};

}  // namespace divisi::instance
