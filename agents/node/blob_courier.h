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
#include "backend/link/blob_client.h"
#include "backend/link/flow_transport.h"

namespace divisi::node {

/// Ends of transfers at one node; the orchestrator has far fewer at once in the whole cluster.
inline constexpr std::size_t most_blob_ends = 64;

/// The node's part in bringing blobs from node to node, as the orchestrator asks for it: it serves its own through the
/// mesh, and fetches others' through it or straight from their nodes. Lives on the loop of the blob store, which may
/// wait for the disk.
class BlobCourier {
public:
    struct Config {
        std::string node;    ///< its name
        std::string listen;  ///< where its instances take data: a folder for ipc sockets, or an address
        bool ipc = true;
    };
    using Say = std::function<void(control::Message)>;
    using Trouble = std::function<void(const Error&)>;
    BlobCourier(link::Loop& loop, link::Transport& sockets, BlobService& service, Config config, Say say,
                Trouble trouble)
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
    /// The orchestrator is away, and with it whoever waits for a blob.
    void close_all() { ends_.clear(); }

private:
    struct End {
        std::string hash;
        bool sink = false;
        std::vector<std::string> values = {};     ///< of which only the tensors are brought
        std::string brought = {};                 ///< what is, once that is known: `hash`, or the part's hash
        bool was_there = false;                   ///< of that, all
        std::optional<link::FlowTransport> line;  ///< through the mesh; none: straight
        std::optional<link::BlobServer> server;
        std::unique_ptr<link::BlobTransfer> transfer;
    };
    bool is_there(std::uint64_t transfer, const std::string& hash);
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
    Trouble trouble_;
    std::map<std::uint64_t, End> ends_;  ///< by transfer
};

}  // namespace divisi::node
