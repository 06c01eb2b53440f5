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

/// Limits on unneeded blobs that a store keeps.
struct BlobLimits {
    Bytes most = Bytes{64} << 30;  ///< limit for all blobs: room for a data set and some models on today's disks
    Duration age = std::chrono::hours(30 * 24);  ///< since its last use; a task is often run again within a month
    /// A blob that was used more recently is kept, because it may be in use. For example, it was uploaded for a task
    /// that is just being submitted, it is being fetched, or it has just been stored.
    Duration spared = std::chrono::minutes(10);
};
/// Limit of blobs in one query; the hashes fit into a control message many times.
inline constexpr std::size_t most_asked_blobs = 4096;

/// Returns the blobs to ask the orchestrator about, the longest unused first. These are the blobs that are too old or,
/// while the store exceeds its size limit, all of them. Recently used blobs are left out.
std::vector<std::string> blobs_to_ask_about(std::vector<BlobUse> blobs, const BlobLimits& limits, TimePoint now);
/// Returns the blobs to remove, after the orchestrator has answered the query sent at `asked`. `may_go`: blobs it does
/// not need.
std::vector<std::string> blobs_to_remove(std::vector<BlobUse> blobs, const std::set<std::string>& may_go,
                                         const BlobLimits& limits, TimePoint asked);

}  // namespace divisi::store
