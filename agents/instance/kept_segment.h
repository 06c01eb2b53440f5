// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agents/segment/executor.h"
#include "backend/control/protocol/message.h"
#include "backend/task/compile.h"

namespace divisi::instance {

/// What two batches must have in common for one to run on what the other has loaded, byte for byte: nobody's word for
/// it is taken.
struct SegmentKey {
    std::string group;     ///< task::group_hash(): operators, cuts, device; empty: loaded for this task alone
    std::string skeleton;  ///< of the model, with the weights that it holds itself
    std::string weights;   ///< file of the others, named by its content; empty: this stage reads none
    std::int32_t stage = 0;

    bool operator==(const SegmentKey&) const = default;
};

/// A loaded segment that outlives its instance: of a batch, whose steps change nothing of it.
struct KeptSegment {
    SegmentKey key;
    std::unique_ptr<segment::Executor> executor;
};

/// A compiled task that outlives its instance: the next incarnation of any of the task's SIDs has the same. It is
/// compared by what it was compiled from.
struct KeptPlan {
    TaskId task;
    std::string text, skeleton;
    std::shared_ptr<const task::CompiledPlan> plan;

    bool is_of(const control::Deploy& deploy) const {
        return task == deploy.task && text == deploy.text && skeleton == deploy.skeleton;
    }
};

}  // namespace divisi::instance
