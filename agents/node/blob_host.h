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

/// The node's blob store and its socket on a thread of their own, which may wait for the disk while the agent's
/// heartbeats go on.
class BlobHost {
public:
    /// Opens the store in `folder` and listens; `keys` on tcp. Whom it lets in is the context's access list.
    static Result<std::unique_ptr<BlobHost>> start(link::Context& context, const std::filesystem::path& folder,
                                                   const std::string& endpoint, std::optional<link::KeyPair> keys,
                                                   store::BlobLimits limits = {});
    ~BlobHost();

    /// Runs `work` on the host's thread, soon.
    void ask(std::function<void(BlobService&)> work) {
        loop_.post([this, work = std::move(work)] { work(service_); });
    }
    /// From now on it brings blobs; `say` and `trouble` are called on the host's thread.
    void engage(BlobCourier::Config config, BlobCourier::Say say, BlobCourier::Trouble trouble);
    /// Runs `work` on the host's thread, soon. After engage().
    void ask_courier(std::function<void(BlobCourier&)> work) {
        loop_.post([this, work = std::move(work)] { work(*courier_); });
    }
    /// The endpoint in force.
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
