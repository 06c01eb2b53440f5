// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/link/loop.h"
#include "backend/link/transport.h"
#include "backend/wire/blob_message.h"

namespace divisi::link {

/// Interface of the store behind a blob server. The store holds files by content hash, in pieces of blob_chunk_bytes.
class BlobPort {
public:
    virtual ~BlobPort() = default;
    virtual Result<BlobManifest> describe(const std::string& hash) = 0;
    /// Starts or resumes a blob; returns the pieces that are still missing.
    virtual Result<std::vector<std::uint32_t>> begin(const BlobManifest& manifest) = 0;
    virtual Result<void> put(const std::string& hash, std::uint32_t index, std::span<const std::byte> bytes) = 0;
    virtual Result<void> finish(const std::string& hash) = 0;
    virtual Result<std::string> get(const std::string& hash, std::uint32_t index) = 0;
    /// Returns the hash of a blob with the tensors of these values only, taken from a snapshot.
    virtual Result<std::string> select(const std::string& hash, const std::vector<std::string>& values);
};

/// Serves a node's blobs to clients and other nodes, on a separate socket. Every call reads or writes the disk on the
/// loop's thread; use a separate loop if heartbeats matter. On tcp, reading and writing require the role operate, agent
/// or admin, because other roles must not see models.
class BlobServer {
public:
    BlobServer(Transport& transport, BlobPort& port) : transport_(transport), port_(port) {}

    /// Returns the actual endpoint.
    Result<std::string> listen(const std::string& endpoint, bool allow_remote = false);

private:
    void on_parts(const std::string& route, const Credentials& credentials, const Parts& parts);
    Result<std::string> serve(wire::BlobMessage& message, std::span<const std::byte> payload);

    Transport& transport_;
    BlobPort& port_;
    std::unique_ptr<Listener> listener_;
};

}  // namespace divisi::link
