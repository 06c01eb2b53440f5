// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/peer_table.h"

#include <algorithm>
#include <utility>

#include "backend/control/protocol/instance_messages.h"
#include "backend/frame/end.h"

namespace divisi::instance {

void PeerTable::set(const std::vector<control::Peer>& peers) {
    for (const control::Peer& peer : peers) peers_[peer.stage] = peer;
    if (!peers_.contains(plan::data_unit)) peers_[plan::data_unit] = peers_[0];
}

void PeerTable::connect(const control::Peers& peers) {
    // Allow the gateway's key, because the gateway forwards the demands of consumers to a data instance. It does so
    // even if both are in one MIC.
    allow(Sid("gateway"), peers.gateway_key, "gateway");
    for (const control::Peer& peer : peers.peers) {
        if (peer.instance == self_) continue;
        allow(peer.sid, peer.data_key, peer.instance.value());
        actions_.connect(peer);
    }
    part_from_others(peers.peers);
}

/// Disconnects data instances that have ended.
void PeerTable::part_from_others(const std::vector<control::Peer>& peers) {
    std::set<Sid> present;
    for (const control::Peer& peer : peers)
        if (peer.stage == control::dealt_stage && peer.instance != self_) present.insert(peer.sid);
    for (const Sid& sid : std::exchange(data_peers_, present))
        if (!present.contains(sid)) actions_.disconnect(sid);
}

/// Allows the peer's key. Revokes the previous key of this SID, unless another SID has the same key.
void PeerTable::allow(const Sid& sid, const std::string& key, const std::string& name) {
    const std::string before = std::exchange(keys_[sid], key);
    const auto has = [](const std::string& one) { return [&one](const auto& entry) { return entry.second == one; }; };
    if (!before.empty() && std::none_of(keys_.begin(), keys_.end(), has(before))) actions_.revoke(before);
    if (!key.empty()) actions_.allow(key, name);
}

std::map<std::int32_t, Sid> PeerTable::sids() const {
    std::map<std::int32_t, Sid> sids;
    for (const auto& [stage, peer] : peers_) sids.emplace(stage, peer.sid);
    return sids;
}

std::vector<std::int32_t> PeerTable::stages_of(std::uint64_t sid) const {
    std::vector<std::int32_t> stages;
    for (const auto& [stage, peer] : peers_)
        if (stage >= 0 && frame::flow_id(peer.sid) == sid) stages.push_back(stage);
    return stages;
}

std::set<std::int32_t> PeerTable::far_channels(const std::vector<plan::Channel>& channels, std::int32_t stage,
                                               const std::string& gateway) const {
    std::set<std::int32_t> far;
    for (std::size_t number = 0; number < channels.size(); ++number) {
        if (channels[number].from != stage || gateway.empty()) continue;
        const auto peer = peers_.find(channels[number].to);
        if (peer != peers_.end() && peer->second.data_endpoint == gateway)
            far.insert(static_cast<std::int32_t>(number));
    }
    return far;
}

}  // namespace divisi::instance
