// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/node/blob_service.h"
#include "backend/control/protocol/message.h"
#include "backend/control/types/blob_types.h"
#include "backend/link/blob_client.h"
#include "backend/link/flow_transport.h"

namespace divisi::node {

/// Maximum number of transfer ends at one node; the orchestrator starts far fewer transfers in the whole cluster.
inline constexpr std::size_t most_blob_ends = 64;

/// Transfers blobs between nodes, as the orchestrator orders. Serves this node's blobs through the mesh, and fetches
/// blobs of other nodes through the mesh or directly. Runs on the loop of the blob store, which may wait for the disk.
class BlobCourier {
public:
    struct Config {
        std::string node;    ///< the node's name
        std::string listen;  ///< address where its instances receive data: a folder for ipc sockets, or a tcp address
        bool ipc = true;
    };
    using Say = std::function<void(control::Message)>;
    using OnError = std::function<void(const Error&)>;
    BlobCourier(link::Loop& loop, link::Transport& sockets, BlobService& service, Config config, Say say,
                OnError trouble)
        : loop_(loop),
          sockets_(sockets),
          service_(service),
          config_(std::move(config)),
          say_(std::move(say)),
          trouble_(std::move(trouble)) {}

    void open(const control::OpenBlobEnd& what);
    void join(const control::JoinBlobEnds& what);
    void fetch(const control::FetchBlob& what);
    void close(const control::CloseBlobEnd& what) { ends_.erase(what.transfer); }
    /// Closes all ends. Called when the connection to the orchestrator is lost, because the orchestrator then no longer
    /// waits for the transfers.
    void close_all() { ends_.clear(); }

private:
    struct End {
        std::string hash;
        bool sink = false;
        std::vector<std::string> values = {};     ///< if not empty, only the tensors of these values are transferred
        std::string brought = {};                 ///< hash of the transferred blob or part, once known
        bool was_there = false;                   ///< whether the whole blob was already present
        std::optional<link::FlowTransport> line;  ///< connection through the mesh; none for a direct connection
        std::optional<link::BlobServer> server;
        std::unique_ptr<link::BlobTransfer> transfer;
    };
    bool report_if_stored(std::uint64_t transfer, const std::string& hash);
    void download(std::uint64_t transfer, End& end, link::Transport& transport, const link::Address& address);
    Result<std::vector<std::uint32_t>> begin(End& end, const BlobManifest& manifest);
    Result<Bytes> finish(const End& end);
    void fetched(std::uint64_t transfer, const Result<void>& result);
    std::string endpoint(std::uint64_t transfer) const;
    Error too_many() const;

    link::Loop& loop_;
    link::Transport& sockets_;
    BlobService& service_;
    Config config_;
    Say say_;
    OnError trouble_;
    std::map<std::uint64_t, End> ends_;  ///< ends of transfers, by transfer number
};

}  // namespace divisi::node
