// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backend/base/clock.h"

namespace divisi::sim {

/// The blob store of a node: its processes come and go, and it stays, until the node's disk is lost.
struct Shelf {
    std::map<std::string, std::string> blobs;  ///< by hash
    std::optional<TimePoint> lost;             ///< when the disk was, last

    void lose(TimePoint now) {
        blobs.clear();
        lost = now;
    }
};

}  // namespace divisi::sim
