// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/result.h"

namespace divisi::task {

struct CheckpointSection;
struct FaultsSection;

/// Specifies when a training task makes checkpoints, and how many it keeps. Read from [checkpoint] in the task file.
struct CheckpointRule {
    enum class Every : std::uint8_t {
        never,
        steps,
        seconds,
        automatic,  ///< from the cost of a checkpoint and the rate of faults (checkpoint_interval.h)
    };
    Every every = Every::never;
    std::int64_t count = 0;  ///< steps or seconds, at least 1
    std::int64_t keep = 2;   ///< number of committed checkpoints to keep, at least 1

    bool operator==(const CheckpointRule&) const = default;
};

/// The reaction to a fault of a process or machine of a task: [faults] answer in the task file.
enum class FaultAnswer : std::uint8_t {
    fail,     ///< the task ends
    recover,  ///< the task restarts from its last checkpoint, or from its beginning, and trains on
    wait,     ///< as `recover`, but each stage waits for its own node, even if the node is away for long
};

/// Read the section. Fail (invalid_input) if the section has no valid value, naming the key.
Result<CheckpointRule> checkpoint_rule(const CheckpointSection& section);
Result<FaultAnswer> fault_answer(const FaultsSection& section);

}  // namespace divisi::task
