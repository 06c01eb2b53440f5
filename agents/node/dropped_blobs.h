// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backend/base/clock.h"

namespace divisi::node {

/// Blobs that the orchestrator has named as unneeded (DropBlobs) but not confirmed yet. Meanwhile an instance may store
/// the same bytes for another task. The blob is then kept. That instance's report reaches the orchestrator before the
/// query, and the store keeps blobs that were used after the orchestrator named them.
class DroppedBlobs {
public:
    /// Adds blobs. If there are more than fit into one query (store::most_asked_blobs), the remaining blobs are left to
    /// the collection of old blobs.
    void name(const std::vector<std::string>& hashes, TimePoint now);
    /// Returns the blobs about which to ask the orchestrator.
    std::vector<std::string> named() const;
    /// Returns the blobs to remove after the answer to the query at `asked_at`, with the time each was last named. A
    /// blob that was named again in the meantime stays for the next query.
    std::map<std::string, TimePoint> confirm(const std::vector<std::string>& asked,
                                             const std::vector<std::string>& needed, TimePoint asked_at);

private:
    std::map<std::string, TimePoint> named_;  ///< time at which each blob was last named
};

}  // namespace divisi::node
