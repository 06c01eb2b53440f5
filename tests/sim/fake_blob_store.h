// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backend/base/clock.h"

namespace divisi::sim {

/// The blob store of a node. It outlives the node's processes, until the node's disk is lost.
struct FakeBlobStore {
    std::map<std::string, std::string> blobs;  ///< by hash
    std::map<std::string, TimePoint> used;     ///< when each blob was last written
    std::optional<TimePoint> lost;             ///< when the disk was last lost

    void put(const std::string& hash, const std::string& bytes, TimePoint now) {
        blobs[hash] = bytes;
        used[hash] = now;
    }

    void lose(TimePoint now) {
        blobs.clear();
        lost = now;
    }
};

}  // namespace divisi::sim
