// SPDX-License-Identifier: Apache-2.0
// Caches results at the router nearest to the consumer, and supplies them when they are offered again.
#include "backend/mesh/forwarding/relay.h"
#include "backend/mesh/route/hops.h"

namespace divisi::mesh::inline forwarding {
namespace {

/// Limit on chunks that wait in one flow. An honest sender offers no more than its consumer has tensor slots for.
constexpr std::size_t most_waiting = 65'536;

}  // namespace

bool Relay::nearest_to_consumer(const Flow& flow) const {
    return cache_ && flow.path.size() == 2 && flow.path.back() == flow.name.destination;
}

/// Supplies an offered tensor; returns whether it is on its way now. If not, the offer is forwarded, and the consumer
/// answers that the tensor is absent.
bool Relay::supply(Flow& flow, const frame::FrameHeader& offer) {
    if (!nearest_to_consumer(flow) || flow.queue.size() >= most_waiting) return false;
    const auto content = frame::content_of(offer.routing);
    const auto result = content ? cache_->find(flow.name.source, *content) : nullptr;
    if (!result) return false;
    frame::FrameHeader header = result->first;
    header.key = offer.key;
    header.key.kind = offer.about;
    header.source = offer.source;
    header.destination = offer.destination;
    header.routing = offer.routing;
    for (const ResultCache::Result::Piece& piece : result->pieces) {
        header.payload_bytes = static_cast<std::uint32_t>(piece.payload.size());
        header.payload_crc = piece.crc;
        // The whole result stays in use until its last chunk is freed.
        flow.queue.push_back({{header, {result, piece.owner.get()}, piece.payload}, {}, 0, now_, true});
        flow.queued += piece.payload.size();
        ++header.chunk_index;
    }
    frame::FrameHeader answer = offer;
    answer.key.kind = frame::FrameKind::supplied;
    answer.source = offer.destination;
    answer.destination = offer.source;
    answer.routing.clear();
    relay::Lane lane{RoutingId(), std::move(answer), {}};
    on(lane);
    return true;
}

void Relay::keep_result(const Flow& flow, const frame::Chunk& chunk) {
    if (nearest_to_consumer(flow)) cache_->pass(flow.name.source, chunk);
}

}  // namespace divisi::mesh::inline forwarding
