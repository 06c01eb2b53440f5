// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>

#include "backend/base/clock.h"
#include "backend/link/blob_server.h"
#include "backend/store/blob_collection.h"
#include "backend/store/blob_store.h"

namespace divisi::node {

/// Limit of concurrent uploads to one node; further clients are told to wait.
inline constexpr std::size_t max_open_blobs = 16;
/// Time after which a silent upload counts as abandoned. A client that reconnects later resumes from the stored pieces.
inline constexpr Duration abandoned_after = std::chrono::seconds(60);

/// The node's blob store as used by the blob server. Two clients may upload the same blob at once.
class BlobService final : public link::BlobPort {
public:
    BlobService(store::BlobStore store, const Clock& clock, store::BlobLimits limits = {})
        : store_(std::move(store)), clock_(clock), limits_(limits) {}

    Result<BlobManifest> describe(const std::string& hash) override;
    Result<std::vector<std::uint32_t>> begin(const BlobManifest& manifest) override;
    Result<void> put(const std::string& hash, std::uint32_t index, std::span<const std::byte> bytes) override;
    Result<void> finish(const std::string& hash) override;
    Result<std::string> get(const std::string& hash, std::uint32_t index) override;
    /// Reads the whole snapshot to verify its hash, and writes the part.
    Result<std::string> select(const std::string& hash, const std::vector<std::string>& values) override;
    /// Keeps a fetched blob as a part of a snapshot. `fetched_for_it`: the blob has no other use.
    Result<void> keep_part(const std::string& of, const std::string& part, bool fetched_for_it);

    /// Complete and incomplete blobs in the store.
    struct Holding {
        std::size_t blobs = 0;
        Bytes bytes = 0;
    };
    Holding holding() const;
    /// Returns the blobs that could be removed if they are not needed.
    std::vector<std::string> to_ask_about() const;
    struct Removed {
        std::size_t blobs = 0;
        Bytes bytes = 0;
    };
    /// Removes, from the unneeded blobs queried at `asked`, as many as the limits require. Keeps blobs used since then.
    Removed remove_unneeded(const std::set<std::string>& may_go, TimePoint asked);
    /// Removes these blobs, except any used since they were named.
    Removed remove_named(const std::map<std::string, TimePoint>& named);

private:
    std::vector<store::BlobUse> idle_blobs() const;
    void remove(const store::BlobUse& blob, Removed& removed);
    struct Open {
        store::BlobWriter writer;
        TimePoint used;
    };
    Result<store::BlobWriter*> writer(const std::string& hash);

    store::BlobStore store_;
    const Clock& clock_;
    store::BlobLimits limits_;
    std::map<std::string, Open> writers_;
};

}  // namespace divisi::node
