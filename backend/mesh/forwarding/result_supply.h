// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "backend/mesh/forwarding/relay_flow.h"
#include "backend/mesh/forwarding/result_cache.h"

namespace divisi::mesh::inline forwarding {

/// Caches results at the router nearest to the consumer, and supplies them when they are offered again. A gateway has
/// no cache.
class ResultSupply {
public:
    explicit ResultSupply(const RelayConfig& config);

    /// Queues the chunks of an offered tensor in the flow, and returns the answer to the tensor's sender. Returns
    /// nothing if the cache cannot supply the tensor. The offer must then be forwarded, and the consumer answers that
    /// the tensor is absent.
    std::optional<frame::FrameHeader> supply(RelayFlow& flow, const frame::FrameHeader& offer, TimePoint now);
    /// Caches a passing chunk if the next hop is the gateway of the chunk's consumer.
    void keep(const RelayFlow& flow, const frame::Chunk& chunk);
    /// Keeps only the tensors that came through gateways for which `present` returns true.
    void keep_gateways(const std::function<bool(RoutingId gateway)>& present);

    const std::optional<ResultCache>& cache() const { return cache_; }

private:
    bool is_nearest_to_consumer(const RelayFlow& flow) const;

    std::optional<ResultCache> cache_;
};

}  // namespace divisi::mesh::inline forwarding
