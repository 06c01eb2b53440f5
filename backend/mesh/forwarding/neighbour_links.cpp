// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/neighbour_links.h"

#include <algorithm>
#include <utility>

namespace divisi::mesh::inline forwarding {

NeighbourLinks::Link* NeighbourLinks::find(RoutingId neighbour) {
    const auto link = links_.find(neighbour);
    return link == links_.end() ? nullptr : &link->second;
}

const NeighbourLinks::Link* NeighbourLinks::find(RoutingId neighbour) const {
    const auto link = links_.find(neighbour);
    return link == links_.end() ? nullptr : &link->second;
}

bool NeighbourLinks::is_usable(RoutingId neighbour) const {
    const Link* link = find(neighbour);
    return link && link->is_usable();
}

bool NeighbourLinks::connect(RoutingId neighbour, TimePoint now) {
    Link& link = links_[neighbour];
    link.up = true;
    link.heard = now;
    return std::exchange(link.failed, false);
}

void NeighbourLinks::disconnect(RoutingId neighbour) { links_[neighbour].up = false; }

bool NeighbourLinks::record_life(RoutingId neighbour, TimePoint now) {
    Link* link = find(neighbour);
    if (!link) return false;
    link->heard = now;
    return std::exchange(link->failed, false);
}

bool NeighbourLinks::try_fail(RoutingId neighbour) {
    Link* link = find(neighbour);
    if (!link || !link->is_usable()) return false;
    link->failed = true;
    return true;
}

std::vector<RoutingId> NeighbourLinks::take_beats(TimePoint now, Duration interval) {
    if (now - last_beat_ < interval) return {};
    last_beat_ = now;
    std::vector<RoutingId> connected;
    for (const auto& [id, link] : links_)
        if (link.up) connected.push_back(id);
    return connected;
}

void NeighbourLinks::count_sent(RoutingId neighbour, std::uint64_t bytes) {
    Link& link = links_.at(neighbour);
    link.sent += bytes;
    ++link.chunks;
}

void NeighbourLinks::count_again(RoutingId neighbour, std::uint64_t chunks) {
    if (Link* link = find(neighbour)) link->again += chunks;
}

void NeighbourLinks::count_delivered(RoutingId neighbour, std::uint64_t bytes, Duration took) {
    if (Link* link = find(neighbour)) link->meter.delivered(bytes, took);
}

void NeighbourLinks::measure(TimePoint now) {
    for (auto& [id, link] : links_) {
        link.quality = link.meter.take(now);
        const std::uint64_t again = std::exchange(link.again, 0), chunks = std::exchange(link.chunks, 0);
        // Chunks that were taken back may have been sent in the period before.
        link.loss = again == 0 ? 0 : static_cast<double>(again) / static_cast<double>(std::max(again, chunks));
    }
}

}  // namespace divisi::mesh::inline forwarding
