// SPDX-License-Identifier: Apache-2.0
#include "backend/control/planned_placement.h"

#include <algorithm>

namespace divisi::control {
namespace {

/// The device of a node that the wish names: "cuda:1" itself, "cuda" the first of its kind.
const Device& device_of(const NodeInfo& node, const std::string& wanted) {
    static const Device unknown{"cpu", "cpu", 0, 0};
    for (const Device& device : node.devices)
        if (device.name == wanted) return device;
    for (const Device& device : node.devices)
        if (device.name.starts_with(wanted)) return device;
    return node.devices.empty() ? unknown : node.devices.front();
}

/// Adds a host once; returns its number.
std::int32_t host_of(std::vector<plan::HostModel>& hosts, const std::string& name, double cores) {
    const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const auto& host) { return host.name == name; });
    if (found != hosts.end()) return static_cast<std::int32_t>(found - hosts.begin());
    hosts.push_back({name, cores});
    return static_cast<std::int32_t>(hosts.size()) - 1;
}

/// The memory of a host is shared by the stages on it.
void share_memory(plan::Placement& placement) {
    std::vector<Bytes> stages(placement.hosts.size(), 0);
    for (const plan::PlannedDevice& device : placement.stages) ++stages[static_cast<std::size_t>(device.host)];
    for (plan::PlannedDevice& device : placement.stages)
        if (device.memory) *device.memory /= stages[static_cast<std::size_t>(device.host)];
}

plan::PlannedDevice planned(std::vector<plan::HostModel>& hosts, const NodeInfo& node, const PlacementWish& wish,
                            const ProfileOf& profile_of) {
    const Device& device = device_of(node, wish.device);
    const auto cores = node.devices.empty() ? 0 : node.devices.front().cores;
    const bool processor = device.name == "cpu";
    plan::PlannedDevice result;
    result.name = node.id.value() + " " + device.name;
    result.profile = profile_of(device);
    if (device.memory > 0) result.memory = device.memory;
    result.host = host_of(hosts, node.host, static_cast<double>(cores));
    result.threads = processor ? wish.threads : 1;
    return result;
}

}  // namespace

plan::Placement planned_placement(const ClusterState& state, const PlacementWish& wish, const ProfileOf& profile_of) {
    std::vector<const NodeInfo*> ready;
    for (const auto& [id, node] : state.nodes)
        if (node.state == NodeState::ready) ready.push_back(&node.info);
    if (ready.empty()) return one_host(wish, {"cpu", "cpu", 0, 0}, profile_of);
    const auto named = [&](const std::string& name) -> const NodeInfo& {
        for (const NodeInfo* node : ready)
            if (node->id.value() == name) return *node;
        return *ready.front();
    };
    plan::Placement placement;
    for (std::int32_t stage = 0; stage < wish.stages; ++stage) {
        const auto at = static_cast<std::size_t>(stage);
        const bool wanted = at < wish.stage_nodes.size() && !wish.stage_nodes[at].empty();
        const NodeInfo& node = wanted ? named(wish.stage_nodes[at]) : *ready[at % ready.size()];
        placement.stages.push_back(planned(placement.hosts, node, wish, profile_of));
    }
    share_memory(placement);
    if (!wish.data_node.empty()) placement.data = planned(placement.hosts, named(wish.data_node), wish, profile_of);
    placement.links = plan::default_links();
    return placement;
}

plan::Placement one_host(const PlacementWish& wish, const Device& machine, const ProfileOf& profile_of) {
    NodeInfo node;
    node.host = "this machine";
    node.devices = {machine};
    plan::Placement placement;
    for (std::int32_t stage = 0; stage < wish.stages; ++stage) {
        placement.stages.push_back(planned(placement.hosts, node, wish, profile_of));
        placement.stages.back().name = "stage " + std::to_string(stage + 1) + " " + machine.name;
    }
    share_memory(placement);
    if (!wish.data_node.empty()) placement.data = planned(placement.hosts, node, wish, profile_of);
    placement.links = plan::default_links();
    return placement;
}

}  // namespace divisi::control
