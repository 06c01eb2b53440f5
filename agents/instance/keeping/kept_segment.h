// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agents/segment/executor.h"
#include "backend/control/protocol/instance_messages.h"
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

}  // namespace divisi::instance
