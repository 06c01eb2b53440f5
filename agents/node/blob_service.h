// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>

#include "backend/base/clock.h"
#include "backend/link/blob_server.h"
#include "backend/store/blob_collection.h"
#include "backend/store/blob_store.h"

namespace divisi::node {

/// Maximum number of blobs that one node receives at the same time, from clients and nodes. More uploads are refused.
inline constexpr std::size_t max_open_blobs = 16;
/// Time without a new piece after which an upload counts as abandoned. A client that reconnects later resumes from the
/// stored pieces.
inline constexpr Duration abandoned_after = std::chrono::seconds(60);

/// The node's blob store, as the blob server uses it. Two clients may upload the same blob at once.
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
    /// Keeps a fetched blob as a part of a snapshot. `fetched_for_it`: removes the blob itself, which has no other use.
    Result<void> keep_part(const std::string& of, const std::string& part, bool fetched_for_it);

    /// Complete and incomplete blobs in the store.
    struct Holding {
        std::size_t blobs = 0;
        Bytes bytes = 0;
    };
    Holding holding() const;
    /// Returns the candidates for removal, about which the node asks the orchestrator.
    std::vector<std::string> to_ask_about() const;
    struct Removed {
        std::size_t blobs = 0;
        Bytes bytes = 0;
    };
    /// Removes as many of the unneeded blobs as the limits require. `asked`: the time of the query. Keeps blobs used
    /// since then.
    Removed remove_unneeded(const std::set<std::string>& may_go, TimePoint asked);
    /// Removes these blobs, except blobs used since the given times.
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
