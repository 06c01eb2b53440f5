// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"

namespace divisi::control {

// The model repository: what trainings that ended with success have left. A version's files are the weights of its
// task, which the state keeps as long as the version is kept.

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
    bool operator==(const ModelVersion&) const = default;
};

// --- messages ----------------------------------------------------------------------------------

/// From operators: the weights of this version are needed no more. Answered by Done.
struct DropVersion {
    std::uint64_t number = 0;
};

// --- events ------------------------------------------------------------------------------------

/// Follows the TaskEnded of a training that ended with success.
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

}  // namespace divisi::control
