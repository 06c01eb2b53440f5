// SPDX-License-Identifier: Apache-2.0
#include "agents/node/dropped_blobs.h"

#include <set>

#include "backend/store/blob_collection.h"

namespace divisi::node {

void DroppedBlobs::name(const std::vector<std::string>& hashes, TimePoint now) {
    for (const std::string& hash : hashes)
        if (named_.size() < store::most_asked_blobs || named_.contains(hash)) named_[hash] = now;
}

std::vector<std::string> DroppedBlobs::named() const {
    std::vector<std::string> hashes;
    for (const auto& [hash, at] : named_) hashes.push_back(hash);
    return hashes;
}

std::map<std::string, TimePoint> DroppedBlobs::confirm(const std::vector<std::string>& asked,
                                                       const std::vector<std::string>& needed, TimePoint asked_at) {
    const std::set<std::string> stays(needed.begin(), needed.end());
    std::map<std::string, TimePoint> goes;
    for (const std::string& hash : asked) {
        const auto found = named_.find(hash);
        if (found == named_.end() || found->second > asked_at) continue;
        if (!stays.contains(hash)) goes.insert(*found);
        named_.erase(found);
    }
    return goes;
}

}  // namespace divisi::node
