// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/result.h"

namespace divisi::task {

struct CheckpointSection;
struct FaultsSection;

/// When a training task makes a checkpoint of itself, and how many it keeps: [checkpoint] of its file, read.
struct CheckpointRule {
    enum class Every : std::uint8_t {
        never,
        steps,
        seconds,
        automatic,  ///< from what a checkpoint costs and how often something fails (control/checkpoint_interval.h)
    };
    Every every = Every::never;
    std::int64_t count = 0;  ///< steps or seconds, from 1
    std::int64_t keep = 2;   ///< committed ones, the newest; from 1

    bool operator==(const CheckpointRule&) const = default;
};

/// What answers a fault of a task's process or machine: [faults] answer of its file.
enum class FaultAnswer : std::uint8_t {
    fail,     ///< the task ends
    recover,  ///< it goes back to its last checkpoint, or to its beginning, and trains on
    wait,     ///< likewise, each stage on its own node, which is waited for however long it takes
};

/// `invalid_input`, naming the key, where the section says nothing of the kind.
Result<CheckpointRule> checkpoint_rule(const CheckpointSection& section);
Result<FaultAnswer> fault_answer(const FaultsSection& section);

}  // namespace divisi::task
