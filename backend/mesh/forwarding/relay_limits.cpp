// SPDX-License-Identifier: Apache-2.0
// Limits what a neighbour or an instance may use of this device.
#include "backend/mesh/forwarding/relay.h"

namespace divisi::mesh::inline forwarding {

/// Returns whether a lane frame is within its sender's limit. An instance is identified by its SID, once its gateway
/// has admitted it; SIDs that are not in the table share one limit.
bool Relay::within_lane_limit(RoutingId from, std::uint64_t source) {
    if (from.value() != 0) {
        const auto neighbour = neighbours_.find(from);
        return neighbour != neighbours_.end() && neighbour->second.lane.take(now_);
    }
    const std::uint64_t sid = places_.contains(source) ? source : 0;
    const auto [lane, fresh] = instance_lanes_.try_emplace(sid, instance_lane_per_s, instance_lane_at_once);
    return lane->second.take(now_);
}

/// Returns whether the table has both SIDs, with the task. A flow that the table does not have is accepted, because the
/// table may not have arrived yet. Such flows share a limit, because names are easily made up.
bool Relay::is_named(const FlowKey& key, const FlowSids& sids) const {
    const auto source = places_.find(key.source), destination = places_.find(key.destination);
    return source != places_.end() && destination != places_.end() && source->second.task.value() == sids.task &&
           destination->second.task.value() == sids.task;
}

void Relay::look_up_names() {
    unnamed_promised_ = unnamed_flows_ = 0;
    for (auto& [key, flow] : flows_) {
        flow.named = is_named(key, flow.sids);
        if (flow.named) continue;
        ++unnamed_flows_;
        for (const auto& [id, upstream] : flow.upstream) unnamed_promised_ += upstream.promise.window();
    }
}

/// Returns whether a neighbour may open one more flow, and charges its rate limit.
bool Relay::try_charge_new_flow(RoutingId from, bool named) {
    if (!named && unnamed_flows_ >= most_flows / unnamed_part) return false;
    std::vector<std::uint64_t> by_others;
    for (const auto& [id, neighbour] : neighbours_)
        if (id != from) by_others.push_back(neighbour.flows);
    Neighbour& neighbour = neighbours_.at(from);
    return left_beside(most_flows, flows_.size(), by_others) > 0 && neighbour.new_flows.take(now_);
}

/// Returns the bytes that may still be promised to the neighbour. Chunks of expired promises count as used, because
/// they take memory too.
std::uint64_t Relay::buffer_left_for(const Flow& flow, RoutingId upstream) const {
    std::vector<std::uint64_t> by_others;
    for (const auto& [id, neighbour] : neighbours_)
        if (id != upstream) by_others.push_back(neighbour.promised);
    const std::uint64_t left = left_beside(config_.buffer, std::max(promised_, held_), by_others);
    if (flow.named) return left;
    const std::uint64_t of_unnamed = config_.buffer / unnamed_part;
    return std::min(left, of_unnamed - std::min(of_unnamed, unnamed_promised_));
}

void Relay::count_promise(const Flow& flow, RoutingId upstream, std::int64_t flows, std::int64_t bytes) {
    promised_ += static_cast<std::uint64_t>(bytes);  // modulo 2^64, so that a negative number subtracts
    if (!flow.named) unnamed_promised_ += static_cast<std::uint64_t>(bytes);
    const auto neighbour = neighbours_.find(upstream);
    if (neighbour == neighbours_.end()) return;
    neighbour->second.promised += static_cast<std::uint64_t>(bytes);
    neighbour->second.flows += static_cast<std::uint64_t>(flows);
}

}  // namespace divisi::mesh::inline forwarding
