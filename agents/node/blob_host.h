// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "agents/node/blob_courier.h"
#include "agents/node/blob_service.h"
#include "backend/link/zmq_transport.h"

namespace divisi::node {

/// Runs the node's blob store and its socket on a separate thread, so that waiting for the disk does not delay the
/// agent's heartbeats.
class BlobHost {
public:
    /// Opens the store in `folder` and listens; `keys` are for tcp. The context's access list decides which clients are
    /// admitted.
    static Result<std::unique_ptr<BlobHost>> start(link::Context& context, const std::filesystem::path& folder,
                                                   const std::string& endpoint, std::optional<link::KeyPair> keys,
                                                   store::BlobLimits limits = {});
    ~BlobHost();

    /// Posts `work` to the host's thread.
    void ask(std::function<void(BlobService&)> work) {
        loop_.post([this, work = std::move(work)] { work(service_); });
    }
    /// Creates the BlobCourier, which transfers blobs; `say` and `trouble` are called on the host's thread.
    void engage(BlobCourier::Config config, BlobCourier::Say say, BlobCourier::OnError trouble);
    /// Posts `work` to the host's thread; call it only after engage().
    void ask_courier(std::function<void(BlobCourier&)> work) {
        loop_.post([this, work = std::move(work)] { work(*courier_); });
    }
    /// Returns the endpoint at which the blob server listens.
    const std::string& endpoint() const { return endpoint_; }

private:
    BlobHost(link::Context& context, store::BlobStore store, std::optional<link::KeyPair> keys,
             store::BlobLimits limits);

    link::EventLoop loop_;
    link::ZmqTransport transport_;
    BlobService service_;
    link::BlobServer server_;
    std::optional<BlobCourier> courier_;
    std::string endpoint_;
    std::thread thread_;
};

}  // namespace divisi::node
