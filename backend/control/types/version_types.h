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

// The model repository holds the results of successful training tasks and the checkpoints that operators keep. The
// files of a version are the weights of its task or the snapshots of its checkpoint. Files are kept as long as their
// version.

struct ModelVersion {
    std::uint64_t number = 0;  ///< number of the version; never reused
    TaskId task;               ///< the task that trained the version
    std::string hash;          ///< hash of the model and of the hashes of the files: 16 hexadecimal digits
    std::uint64_t parent = 0;  ///< the version from which the training started; 0: the model's first weights
    std::string model;         ///< readable name of the model: "zoo:gpt", "resnet18.onnx"
    /// readable name of the data: "text corpus.txt", with the beginning of the hash if files were uploaded
    std::string data;
    std::string plan;           ///< hash of the last plan that trained the version
    std::int32_t stages = 1;    ///< stages of that plan
    std::int64_t step = 0;      ///< last trained step
    std::optional<float> loss;  ///< loss of that step
    TimePoint time{};           ///< end of the training, or time of the checkpoint
    Bytes size = 0;             ///< total size of the version's files
    bool kept = true;           ///< false: the weights were dropped, but other versions descend from this one
    bool checkpoint = false;    ///< true: a kept checkpoint of the task; false: made at the end of the training
    std::string name;           ///< name of a checkpoint; empty: the checkpoint has no name
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
    std::int64_t step = 0;  ///< step after which the checkpoint was taken; 0: the newest checkpoint
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
    std::string by;   ///< the operator who dropped the version; empty: the orchestrator, due to the limits
    std::string why;  ///< reason for dropping the version: "dropped", "dropped for newer ones"
};

}  // namespace divisi::control::inline types
