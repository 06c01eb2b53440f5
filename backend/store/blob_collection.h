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
    Duration age = std::chrono::hours(30 * 24);  ///< limit for the time since a blob's last use
    /// A blob that was used more recently is kept, because it may be in use. For example, the task for which it was
    /// uploaded is just being submitted, or the blob is being fetched or has just been stored.
    Duration spared = std::chrono::minutes(10);
};
/// Maximum number of blobs in one query; far more hashes would fit into a control message.
inline constexpr std::size_t most_asked_blobs = 4096;

/// Returns the blobs to ask the orchestrator about, beginning with the blob that has been unused longest. These are the
/// blobs that exceed the age limit or, while the store exceeds its size limit, all blobs. Recently used blobs are left
/// out.
std::vector<std::string> blobs_to_ask_about(std::vector<BlobUse> blobs, const BlobLimits& limits, TimePoint now);
/// Returns the blobs to remove, after the orchestrator has answered the query sent at `asked`. `may_go`: blobs that the
/// orchestrator does not need.
std::vector<std::string> blobs_to_remove(std::vector<BlobUse> blobs, const std::set<std::string>& may_go,
                                         const BlobLimits& limits, TimePoint asked);

}  // namespace divisi::store
