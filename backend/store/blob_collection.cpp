// SPDX-License-Identifier: Apache-2.0
#include "backend/store/blob_collection.h"

#include <algorithm>
#include <numeric>

namespace divisi::store {
namespace {

void sort_by_use(std::vector<BlobUse>& blobs) {
    std::ranges::sort(
        blobs, [](const auto& a, const auto& b) { return a.used != b.used ? a.used < b.used : a.hash < b.hash; });
}

Bytes total(const std::vector<BlobUse>& blobs) {
    return std::accumulate(blobs.begin(), blobs.end(), Bytes{0},
                           [](Bytes sum, const BlobUse& blob) { return sum + blob.size; });
}

}  // namespace

std::vector<std::string> blobs_to_ask_about(std::vector<BlobUse> blobs, const BlobLimits& limits, TimePoint now) {
    sort_by_use(blobs);
    const bool too_much = total(blobs) > limits.most;
    std::vector<std::string> asked;
    for (const BlobUse& blob : blobs) {
        const Duration unused = now - blob.used;
        if (unused >= limits.spared && (too_much || unused >= limits.age) && asked.size() < most_asked_blobs)
            asked.push_back(blob.hash);
    }
    return asked;
}

std::vector<std::string> blobs_to_remove(std::vector<BlobUse> blobs, const std::set<std::string>& may_go,
                                         const BlobLimits& limits, TimePoint asked) {
    sort_by_use(blobs);
    Bytes left = total(blobs);
    std::vector<std::string> removed;
    for (const BlobUse& blob : blobs) {
        const Duration unused = asked - blob.used;
        if (!may_go.contains(blob.hash) || unused < limits.spared) continue;
        if (unused < limits.age && left <= limits.most) continue;
        left -= blob.size;
        removed.push_back(blob.hash);
    }
    return removed;
}

}  // namespace divisi::store
