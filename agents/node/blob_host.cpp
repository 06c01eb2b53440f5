// SPDX-License-Identifier: Apache-2.0
#include "agents/node/blob_host.h"

#include "backend/link/sockets.h"
#include "backend/process/background.h"

namespace divisi::node {

BlobHost::BlobHost(link::Context& context, store::BlobStore store, std::optional<link::KeyPair> keys,
                   store::BlobLimits limits)
    : transport_(context, loop_, std::move(keys)),
      service_(std::move(store), loop_, limits),
      server_(transport_, service_) {}

BlobHost::~BlobHost() {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
}

Result<std::unique_ptr<BlobHost>> BlobHost::start(link::Context& context, const std::filesystem::path& folder,
                                                  const std::string& endpoint, std::optional<link::KeyPair> keys,
                                                  store::BlobLimits limits) {
    DIVISI_ASSIGN(store::BlobStore store, store::BlobStore::open(folder));
    store.clean_up();  // the agent has just started and has no instances yet
    std::unique_ptr<BlobHost> host(new BlobHost(context, std::move(store), std::move(keys), limits));
    // In a tcp cluster, the connection file names the cluster's address; the caller passes this machine's address.
    DIVISI_ASSIGN(host->endpoint_, host->server_.listen(endpoint, !link::is_ipc(endpoint)));
    host->thread_ = std::thread([loop = &host->loop_] {
        process::work_in_background();
        loop->run();
    });
    return host;
}

void BlobHost::engage(BlobCourier::Config config, BlobCourier::Say say, BlobCourier::OnError trouble) {
    loop_.post([this, config = std::move(config), say = std::move(say), trouble = std::move(trouble)] {
        courier_.emplace(loop_, transport_, service_, config, say, trouble);
    });
}

}  // namespace divisi::node
