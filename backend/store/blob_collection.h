// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/units.h"
#include "backend/store/blob_store.h"

namespace divisi::store {

/// What a store keeps of blobs that nobody needs any more.
struct BlobLimits {
    Bytes most = Bytes{64} << 30;                ///< of all blobs: a data set and some models, on a disk of this decade
    Duration age = std::chrono::hours(30 * 24);  ///< since their last use; a task is often run again in the same month
    /// A blob that was used this lately is in somebody's hands: brought for a task that the orchestrator learns of in
    /// this moment, being fetched, or just stored.
    Duration spared = std::chrono::minutes(10);
};
/// Blobs that are asked about at once: their hashes fit a control message many times.
inline constexpr std::size_t most_asked_blobs = 4096;

/// Blobs that could go, the longest unused first: too old ones, and all while together they take too much.
std::vector<std::string> blobs_to_ask_about(std::vector<BlobUse> blobs, const BlobLimits& limits, TimePoint now);
/// Those that go now that the orchestrator has answered what was asked at `asked`. `may_go`: what it does not need.
std::vector<std::string> blobs_to_remove(std::vector<BlobUse> blobs, const std::set<std::string>& may_go,
                                         const BlobLimits& limits, TimePoint asked);

}  // namespace divisi::store
