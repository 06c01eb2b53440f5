// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/relay.h"

namespace divisi::mesh::inline forwarding {

/// Returns the flow's two paths. They avoid unusable devices and, unless there is no other path, neighbours that fail
/// repeatedly.
std::optional<Paths> Relay::paths_for(const Flow& flow) {
    const Avoid unusable = this->unusable();
    const FlowKey& key = names_.at(flow.name);
    const auto paths = [&](const Avoid& avoid) {
        // Most flows avoid nothing of their own, and a gateway has many flows to few other gateways.
        auto two = avoid == unusable ? std::optional(lane_paths(flow.name.destination))
                                     : two_paths(topology_, config_.self, flow.name.destination, avoid);
        if (two && two->primary.empty()) two.reset();
        const bool second = flow.path_index == 1 || (flow.by_second && !rule_for(flow).first_share);
        if (two && second && !two->backup.empty()) std::swap(two->primary, two->backup);
        return two;
    };
    Avoid avoid = unusable;
    for (auto& [id, breaker] : breakers_) {
        if (!usable(id) || breaker.admits(key)) continue;
        avoid.devices.insert(id);
        // avoids the link instead, because a device at a path's end is never avoided
        avoid.links.insert(link_key(config_.self, id));
    }
    auto found = paths(avoid);
    if (!found && avoid.links.size() > unusable.links.size()) found = paths(unusable);
    for (auto& [id, breaker] : breakers_)
        if (!found || found->primary.size() < 2 || found->primary[1] != id) breaker.let_go(key);
    return found;
}

void Relay::count_failure(RoutingId neighbour) {
    if (config_.role != DeviceRole::gateway || !breakers_.try_emplace(neighbour, breaker_).first->second.failed(now_))
        return;
    ++counters_.ejections;
    const Breaker& breaker = breakers_.at(neighbour);
    const Device* device = topology_.device(neighbour);
    refuse(ErrorCode::unavailable,
           (device ? device->name : "a neighbour") + " keeps failing: flows avoid it for " +
               std::to_string((breaker.until() - now_) / std::chrono::seconds(1)) + " s, where they can",
           neighbour);
}

void Relay::look_after_breakers() {
    std::erase_if(breakers_, [&](const auto& entry) { return !neighbours_.contains(entry.first); });
    bool tried = false;
    for (auto& [id, breaker] : breakers_) {
        const auto trying = breaker.trying();
        const bool over = trying && !flows_.contains(*trying);
        if (over) breaker.let_go(*trying);
        tried = breaker.tick(now_) || over || tried;
    }
    if (tried) choose_all();
}

std::vector<Relay::BreakerView> Relay::breakers() const {
    std::vector<BreakerView> views;
    for (const auto& [id, breaker] : breakers_)
        if (breaker.state() != Breaker::State::closed)
            views.push_back({id, breaker.state() == Breaker::State::half_open});
    return views;
}

}  // namespace divisi::mesh::inline forwarding
