// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/result.h"
#include "backend/base/units.h"

namespace divisi::control::inline types {

// A checkpoint is the state of a task at the end of a step: of each of its segments a snapshot, which is a file of
// tensors by name (store/tensor_file.h) that lies as a blob on nodes. It counts once all of them are durable.

/// Of one segment, and on which nodes it lies.
struct SegmentSnapshot {
    Sid sid;
    std::int32_t stage = 0;
    std::string hash;
    Bytes size = 0;
    std::vector<NodeId> nodes;
    bool operator==(const SegmentSnapshot&) const = default;
};
struct Checkpoint {
    Generation generation = 1;           ///< that made it
    std::int64_t step = 0;               ///< the last that it contains
    TimePoint time{};                    ///< when it was committed
    std::vector<SegmentSnapshot> parts;  ///< by stage
    bool operator==(const Checkpoint&) const = default;
};

/// Where an instance begins: after a step, with what these blobs of its node's store hold; step 0: as new.
struct Restore {
    std::int64_t step = 0;
    std::vector<std::string> hashes;
    bool operator==(const Restore&) const = default;
};

// --- messages ----------------------------------------------------------------------------------

/// To the stages of a task, not answered but by SnapshotTaken: a snapshot at the end of this step.
struct TakeSnapshot {
    TaskId task;
    Generation generation = 1;
    std::int64_t step = 0;
};
/// From the instance, not answered: its snapshot of this step is durable in its node's blob store; or why there is
/// none.
struct SnapshotTaken {
    TaskId task;
    InstanceId instance;
    Generation generation = 1;
    std::int64_t step = 0;
    std::string hash;
    Bytes size = 0;
    double copy_ms = 0;   ///< that training waited
    double write_ms = 0;  ///< that it took in the background
    std::optional<Error> error = {};
};
/// To a node, not answered: no task needs these blobs any more. One that is not there is no error.
struct DropBlobs {
    std::vector<std::string> hashes;
};
/// From operators: a checkpoint of a training task, as soon as it can be. Answered by CheckpointOrdered.
struct OrderCheckpoint {
    TaskId task;
};
struct CheckpointOrdered {
    std::int64_t step = 0;  ///< at whose end it is taken
};

// --- events ------------------------------------------------------------------------------------

/// All its snapshots are durable: the task can begin again after its step.
struct CheckpointCommitted {
    TaskId task;
    Checkpoint checkpoint;
};
/// A fault is answered: the task goes on after this step as another generation, whose instances are placed next.
struct TaskRecovers {
    TaskId task;
    Generation generation = 1;
    std::int64_t step = 0;  ///< of the checkpoint that it goes on from; 0: from its beginning
    InstanceId culprit;     ///< whose fault it was; empty: nobody's in particular
    std::string reason;
};

}  // namespace divisi::control::inline types
