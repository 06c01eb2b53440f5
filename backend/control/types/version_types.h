// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"
#include "backend/control/types/checkpoint_types.h"

namespace divisi::control::inline types {

// The model repository holds the results of successful trainings and the checkpoints that operators keep. The files of
// a version are the weights of its task or the snapshots of its checkpoint. The state keeps them as long as the version
// is kept.

struct ModelVersion {
    std::uint64_t number = 0;  ///< never reused
    TaskId task;               ///< the task that trained it
    std::string hash;          ///< hash of its files' hashes and its model: 16 hexadecimal digits
    std::uint64_t parent = 0;  ///< the version that its training started from; 0: the model's first weights
    std::string model;         ///< for people: "zoo:gpt", "resnet18.onnx"
    std::string data;          ///< likewise: "text corpus.txt", with the beginning of the hash where files were brought
    std::string plan;          ///< hash of the last plan that trained it
    std::int32_t stages = 1;   ///< stages of that plan
    std::int64_t step = 0;     ///< last trained step
    std::optional<float> loss;  ///< loss of that step
    TimePoint time{};           ///< end of the training, or time of the checkpoint
    Bytes size = 0;             ///< sum over its files
    bool kept = true;           ///< false: its weights were dropped, but other versions descend from it
    bool checkpoint = false;    ///< true: a kept checkpoint of its task; false: made at the end of the training
    std::string name;           ///< name of a checkpoint, if it was given one
    std::vector<SegmentSnapshot> parts;  ///< files of a kept checkpoint, by stage
    bool operator==(const ModelVersion&) const = default;
};

// --- messages ----------------------------------------------------------------------------------

/// Sent by operators when the weights of this version are no longer needed. Answered by Done.
struct DropVersion {
    std::uint64_t number = 0;
};
/// Sent by operators to keep a committed checkpoint of a task as a version. Answered by VersionMade.
struct KeepCheckpoint {
    TaskId task;
    std::int64_t step = 0;  ///< step after which it was taken; 0: the newest
    std::string name;       ///< name for the version; empty: only its number identifies it
};

// --- events ------------------------------------------------------------------------------------

/// Follows the TaskEnded of a successful training, or a KeepCheckpoint.
struct VersionMade {
    ModelVersion version;
};
/// Drops the weights of a version. The version itself is forgotten once no kept version descends from it.
struct VersionDropped {
    std::uint64_t number = 0;
    TaskId task;
    std::string by;   ///< the operator who dropped it; empty: the orchestrator, since there were too many
    std::string why;  ///< "dropped", "pushed out by newer ones"
};

}  // namespace divisi::control::inline types
