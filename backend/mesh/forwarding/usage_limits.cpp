// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/usage_limits.h"

#include <algorithm>
#include <vector>

namespace divisi::mesh::inline forwarding {

void UsageLimits::keep_instances(const std::function<bool(std::uint64_t sid)>& present) {
    std::erase_if(instance_lanes_, [&](const auto& entry) { return !present(entry.first); });
}

bool UsageLimits::try_lane(RoutingId neighbour, TimePoint now) {
    const auto share = shares_.find(neighbour);
    return share != shares_.end() && share->second.lane.take(now);
}

bool UsageLimits::try_instance_lane(std::uint64_t sid, TimePoint now) {
    const auto [lane, fresh] = instance_lanes_.try_emplace(sid, instance_lane_per_s, instance_lane_at_once);
    return lane->second.take(now);
}

bool UsageLimits::try_new_flow(RoutingId neighbour, bool named, std::size_t present, TimePoint now) {
    if (!named && unnamed_flows_ >= most_flows / unnamed_part) return false;
    std::vector<std::uint64_t> by_others;
    for (const auto& [id, share] : shares_)
        if (id != neighbour) by_others.push_back(share.flows);
    Share& share = shares_.at(neighbour);
    return left_beside(most_flows, present, by_others) > 0 && share.new_flows.take(now);
}

void UsageLimits::set_unnamed(std::uint64_t flows, std::uint64_t promised) {
    unnamed_flows_ = flows;
    unnamed_promised_ = promised;
}

void UsageLimits::count_promise(RoutingId neighbour, bool named, std::int64_t flows, std::int64_t bytes) {
    promised_ += static_cast<std::uint64_t>(bytes);  // modulo 2^64, so that adding a negative number subtracts
    if (!named) unnamed_promised_ += static_cast<std::uint64_t>(bytes);
    const auto share = shares_.find(neighbour);
    if (share == shares_.end()) return;
    share->second.promised += static_cast<std::uint64_t>(bytes);
    share->second.flows += static_cast<std::uint64_t>(flows);
}

std::uint64_t UsageLimits::buffer_left_for(RoutingId neighbour, bool named) const {
    std::vector<std::uint64_t> by_others;
    for (const auto& [id, share] : shares_)
        if (id != neighbour) by_others.push_back(share.promised);
    const std::uint64_t left = left_beside(buffer_, std::max(promised_, held_), by_others);
    if (named) return left;
    const std::uint64_t of_unnamed = buffer_ / unnamed_part;
    return std::min(left, of_unnamed - std::min(of_unnamed, unnamed_promised_));
}

}  // namespace divisi::mesh::inline forwarding
