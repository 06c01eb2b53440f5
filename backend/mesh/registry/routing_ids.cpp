// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/registry/routing_ids.h"

namespace divisi::mesh::inline registry {

Result<RoutingId> RoutingIds::allocate(TimePoint now) {
    for (; !resting_.empty() && resting_.front().until <= now; resting_.pop_front()) free_.insert(resting_.front().id);
    if (!free_.empty()) return RoutingId(free_.extract(free_.begin()).value());
    if (used_up_to_ < most_routing_ids) return RoutingId(++used_up_to_);
    Error error{ErrorCode::exhausted, "all " + std::to_string(most_routing_ids) + " routing identifiers are in use",
                "registry", "stop gateways or routers that are not needed"};
    if (!resting_.empty()) {
        const auto wait = std::chrono::ceil<std::chrono::seconds>(resting_.front().until - now);
        error.what += " or in quarantine";
        error.next = "register again in " + std::to_string(wait.count()) + " s, when the next identifier is free";
    }
    return error;
}

bool RoutingIds::take(RoutingId id) {
    const std::uint16_t wanted = id.value();
    if (wanted == 0) return false;
    if (wanted <= used_up_to_)
        return free_.erase(wanted) > 0 || std::erase_if(resting_, [&](const Resting& one) { return one.id == wanted; });
    while (++used_up_to_ < wanted) free_.insert(used_up_to_);
    return true;
}

void RoutingIds::free(RoutingId id, TimePoint now) { resting_.push_back({id.value(), now + routing_id_quarantine}); }

}  // namespace divisi::mesh::inline registry
