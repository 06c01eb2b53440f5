// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "backend/link/blob_server.h"
#include "backend/store/blob_store.h"

namespace divisi::node {

/// Uploads that one node takes at once; further ones are told to wait.
inline constexpr std::size_t max_open_blobs = 16;

/// The node's blob store as the blob server serves it.
class BlobService final : public link::BlobPort {
public:
    explicit BlobService(store::BlobStore store) : store_(std::move(store)) {}

    Result<BlobManifest> describe(const std::string& hash) override;
    Result<std::vector<std::uint32_t>> begin(const BlobManifest& manifest) override;
    Result<void> put(const std::string& hash, std::uint32_t index, std::span<const std::byte> bytes) override;
    Result<void> finish(const std::string& hash) override;
    Result<std::string> get(const std::string& hash, std::uint32_t index) override;

private:
    Result<store::BlobWriter*> writer(const std::string& hash);

    store::BlobStore store_;
    std::map<std::string, store::BlobWriter> writers_;
};

}  // namespace divisi::node
