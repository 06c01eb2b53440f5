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

// A checkpoint is the state of a task at the end of a step, as one snapshot for each segment of the task. A snapshot is
// a file of named tensors (store/tensor_file.h), stored as a blob on nodes. The checkpoint is valid once all its
// snapshots are durable.

/// The snapshot of one segment, and the nodes that store it.
struct SegmentSnapshot {
    Sid sid;
    std::int32_t stage = 0;
    std::string hash;
    Bytes size = 0;
    std::vector<NodeId> nodes;
    bool operator==(const SegmentSnapshot&) const = default;
};
struct Checkpoint {
    Generation generation = 1;           ///< generation that made the checkpoint
    std::int64_t step = 0;               ///< last step that the checkpoint contains
    TimePoint time{};                    ///< time of the commit
    std::vector<SegmentSnapshot> parts;  ///< snapshots by stage
    bool operator==(const Checkpoint&) const = default;
};

/// The starting point of an instance: the step after which it continues, and the blobs that it loads from its node's
/// store. Step 0: the instance starts without state.
struct Restore {
    std::int64_t step = 0;
    std::vector<std::string> hashes;
    bool operator==(const Restore&) const = default;
};

// --- messages ----------------------------------------------------------------------------------

/// Sent to the stages of a task: they take a snapshot at the end of this step. Answered only by SnapshotTaken.
struct TakeSnapshot {
    TaskId task;
    Generation generation = 1;
    std::int64_t step = 0;
};
/// Sent by an instance, not answered: it reports that its snapshot of this step is durable in its node's blob store, or
/// the error.
struct SnapshotTaken {
    TaskId task;
    InstanceId instance;
    Generation generation = 1;
    std::int64_t step = 0;
    std::string hash;
    Bytes size = 0;
    double copy_ms = 0;   ///< time that training waited for the copy, in ms
    double write_ms = 0;  ///< time for writing in the background
    std::optional<Error> error = {};
};
/// Sent to a node, not answered: deletes blobs that no task needs any more. A missing blob is not an error.
struct DropBlobs {
    std::vector<std::string> hashes;
};
/// Sent by operators: orders a checkpoint of a training task as soon as possible. Answered by CheckpointOrdered.
struct OrderCheckpoint {
    TaskId task;
};
struct CheckpointOrdered {
    std::int64_t step = 0;  ///< the step at whose end the checkpoint is taken
};

// --- events ------------------------------------------------------------------------------------

/// All snapshots of the checkpoint are durable: the task can restart after its step.
struct CheckpointCommitted {
    TaskId task;
    Checkpoint checkpoint;
};
/// Recovery from a fault: the task continues after this step as a new generation, whose instances are placed next.
struct TaskRecovers {
    TaskId task;
    Generation generation = 1;
    std::int64_t step = 0;  ///< step of the checkpoint to continue from; 0: from the beginning
    InstanceId culprit;     ///< instance that caused the fault; empty: no particular instance
    std::string reason;
};

}  // namespace divisi::control::inline types
