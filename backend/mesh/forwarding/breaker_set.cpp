// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/breaker_set.h"

namespace divisi::mesh::inline forwarding {

void BreakerSet::set(const BreakerConfig& config) {
    config_ = config;
    for (auto& [id, breaker] : breakers_) breaker.set(config_);
}

std::optional<Duration> BreakerSet::record_failure(RoutingId neighbour, TimePoint now) {
    Breaker& breaker = breakers_.try_emplace(neighbour, config_).first->second;
    return breaker.failed(now) ? std::optional(Duration(breaker.until() - now)) : std::nullopt;
}

bool BreakerSet::record_success(RoutingId neighbour, const FlowKey& flow, TimePoint now) {
    const auto breaker = breakers_.find(neighbour);
    return breaker != breakers_.end() && breaker->second.succeeded(flow, now);
}

std::vector<RoutingId> BreakerSet::refuse(const FlowKey& flow, const std::function<bool(RoutingId)>& usable) {
    std::vector<RoutingId> refused;
    for (auto& [id, breaker] : breakers_)
        if (usable(id) && !breaker.admits(flow)) refused.push_back(id);
    return refused;
}

void BreakerSet::let_go(const FlowKey& flow, std::optional<RoutingId> next_hop) {
    for (auto& [id, breaker] : breakers_)
        if (next_hop != id) breaker.let_go(flow);
}

bool BreakerSet::tick(TimePoint now, const std::function<bool(RoutingId)>& is_neighbour,
                      const std::function<bool(const FlowKey&)>& present) {
    std::erase_if(breakers_, [&](const auto& entry) { return !is_neighbour(entry.first); });
    bool tried = false;
    for (auto& [id, breaker] : breakers_) {
        const auto trying = breaker.trying();
        const bool over = trying && !present(*trying);
        if (over) breaker.let_go(*trying);
        tried = breaker.tick(now) || over || tried;
    }
    return tried;
}

std::vector<relay::BreakerView> BreakerSet::views() const {
    std::vector<relay::BreakerView> views;
    for (const auto& [id, breaker] : breakers_)
        if (breaker.state() != Breaker::State::closed)
            views.push_back({id, breaker.state() == Breaker::State::half_open});
    return views;
}

}  // namespace divisi::mesh::inline forwarding
