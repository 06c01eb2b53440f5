// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/result_supply.h"

#include <utility>

namespace divisi::mesh::inline forwarding {
namespace {

/// Limit on chunks that wait in one flow. An honest sender offers no more than its consumer has tensor slots for.
constexpr std::size_t most_waiting = 65'536;

}  // namespace

ResultSupply::ResultSupply(const RelayConfig& config) {
    if (config.cache > 0 && config.role == DeviceRole::router) cache_.emplace(config.cache, config.content_hash);
}

bool ResultSupply::is_nearest_to_consumer(const RelayFlow& flow) const {
    return cache_ && flow.path.size() == 2 && flow.path.back() == flow.name.destination;
}

std::optional<frame::FrameHeader> ResultSupply::supply(RelayFlow& flow, const frame::FrameHeader& offer,
                                                       TimePoint now) {
    if (!is_nearest_to_consumer(flow) || flow.queue.size() >= most_waiting) return std::nullopt;
    const auto content = frame::content_of(offer.routing);
    const auto result = content ? cache_->find(flow.name.source, *content) : nullptr;
    if (!result) return std::nullopt;
    frame::FrameHeader header = result->first;
    header.key = offer.key;
    header.key.kind = offer.about;
    header.source = offer.source;
    header.destination = offer.destination;
    header.routing = offer.routing;
    for (const ResultCache::Result::Piece& piece : result->pieces) {
        header.payload_bytes = static_cast<std::uint32_t>(piece.payload.size());
        header.payload_crc = piece.crc;
        // The whole result counts as in use until its last chunk is freed.
        flow.queue.push_back({{header, {result, piece.owner.get()}, piece.payload}, {}, 0, now, true});
        flow.queued += piece.payload.size();
        ++header.chunk_index;
    }
    frame::FrameHeader answer = offer;
    answer.key.kind = frame::FrameKind::supplied;
    answer.source = offer.destination;
    answer.destination = offer.source;
    answer.routing.clear();
    return answer;
}

void ResultSupply::keep(const RelayFlow& flow, const frame::Chunk& chunk) {
    if (is_nearest_to_consumer(flow)) cache_->pass(flow.name.source, chunk);
}

void ResultSupply::keep_gateways(const std::function<bool(RoutingId gateway)>& present) {
    if (cache_) cache_->keep_only(present);
}

}  // namespace divisi::mesh::inline forwarding
