// SPDX-License-Identifier: Apache-2.0
#include "backend/ctl/terminal/arrivals.h"

#include "backend/base/text.h"
#include "backend/control/protocol/message.h"
#include "backend/control/protocol/state_messages.h"

namespace divisi::ctl {

void Arrivals::look_at(const control::ClusterState& state) {
    nodes_.clear();
    devices_.clear();
    for (const auto& [id, node] : state.nodes)
        if (node.state == control::NodeState::ready) nodes_.insert(id);
    for (const auto& [name, device] : state.devices) devices_.insert(name);
}

void Arrivals::take(const control::Message& message) {
    if (const auto* snapshot = get_if<control::Snapshot>(&message)) return look_at(snapshot->state);
    const auto* push = get_if<control::EventPush>(&message);
    if (!push) return;
    for (const control::Event& event : push->events) {
        if (const auto* node = get_if<control::NodeJoined>(&event.body)) nodes_.insert(node->node.id);
        else if (const auto* joined = get_if<control::DeviceJoined>(&event.body)) devices_.insert(joined->device.name);
        else if (const auto* left = get_if<control::DeviceLeft>(&event.body)) devices_.erase(left->name);
    }
}

std::vector<std::string> Arrivals::missing(const std::vector<std::string>& devices) const {
    std::vector<std::string> missing;
    for (const std::string& name : devices)
        if (!devices_.contains(name)) missing.push_back(name);
    return missing;
}

std::string not_registered(const std::vector<std::string>& missing) {
    const bool one = missing.size() == 1;
    return joined(missing) + (one ? " has" : " have") + " not registered within " +
           std::to_string(device_patience / std::chrono::seconds(1)) + " s: plans use no path through " +
           (one ? "it until it has" : "them until they have");
}

}  // namespace divisi::ctl
