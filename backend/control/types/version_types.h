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

// The model repository: what trainings that ended with success have left, and checkpoints that somebody kept. A
// version's files are the weights of its task, or the snapshots of its checkpoint; the state keeps them as long as the
// version is kept.

struct ModelVersion {
    std::uint64_t number = 0;  ///< given once
    TaskId task;               ///< that trained it
    std::string hash;          ///< of its files' hashes and its model: 16 hexadecimal digits
    std::uint64_t parent = 0;  ///< the version that its training began with; 0: the model's first weights
    std::string model;         ///< for people: "zoo:gpt", "resnet18.onnx"
    std::string data;          ///< likewise: "text corpus.txt", with the beginning of the hash where files were brought
    std::string plan;          ///< hash of the plan that trained it last
    std::int32_t stages = 1;   ///< of that plan
    std::int64_t step = 0;     ///< the last that was trained
    std::optional<float> loss;  ///< of that step
    TimePoint time{};           ///< when the training ended
    Bytes size = 0;             ///< of its files together
    bool kept = true;           ///< false: its weights were let go, and others descend from it
    bool checkpoint = false;    ///< a checkpoint of its task that was kept; false: the end of the training made it
    std::string name;           ///< of a checkpoint, where it was given one
    std::vector<SegmentSnapshot> parts;  ///< of a checkpoint that is kept: its files, by stage
    bool operator==(const ModelVersion&) const = default;
};

// --- messages ----------------------------------------------------------------------------------

/// From operators: the weights of this version are needed no more. Answered by Done.
struct DropVersion {
    std::uint64_t number = 0;
};
/// From operators: a committed checkpoint of a task is to stay as a version. Answered by VersionMade.
struct KeepCheckpoint {
    TaskId task;
    std::int64_t step = 0;  ///< after which it was taken; 0: the newest
    std::string name;       ///< that it can be called by; empty: its number has to do
};

// --- events ------------------------------------------------------------------------------------

/// Follows the TaskEnded of a training that ended with success, or a KeepCheckpoint.
struct VersionMade {
    ModelVersion version;
};
/// Its weights are let go. The version itself is forgotten when none that is kept descends from it.
struct VersionDropped {
    std::uint64_t number = 0;
    TaskId task;
    std::string by;   ///< the operator who did it; empty: the orchestrator, since there were too many
    std::string why;  ///< "dropped", "pushed out by newer ones"
};

}  // namespace divisi::control::inline types
