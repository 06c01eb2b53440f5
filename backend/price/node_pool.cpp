// SPDX-License-Identifier: Apache-2.0
#include "backend/price/node_pool.h"

#include <algorithm>

#include "backend/plan/cut_choice.h"

namespace divisi::price {

std::int32_t NodePool::find(const std::string& name) const {
    const auto found =
        std::find_if(nodes.begin(), nodes.end(), [&](const PlannedDevice& one) { return one.node == name; });
    return found == nodes.end() || name.empty() ? -1 : static_cast<std::int32_t>(found - nodes.begin());
}

std::vector<std::int32_t> NodePool::order(std::int32_t stages, const std::vector<std::string>& named) const {
    std::vector<std::int32_t> order;
    const std::size_t round = ready > 0 ? ready : nodes.size();
    for (std::size_t stage = 0; stage < static_cast<std::size_t>(stages); ++stage) {
        const std::int32_t found = stage < named.size() ? find(named[stage]) : -1;
        order.push_back(found >= 0 ? found : static_cast<std::int32_t>(stage % round));
    }
    return order;
}

Placement NodePool::place(const std::vector<std::int32_t>& order) const {
    std::vector<Bytes> on_node(nodes.size(), 0), on_host(hosts.size(), 0);
    for (const std::int32_t node : order) {
        ++on_node[node];
        if (!nodes[node].memory) ++on_host[nodes[node].host];
    }
    Placement placement;
    for (const std::int32_t node : order) {
        PlannedDevice device = nodes[node];
        const Bytes shared = hosts[device.host].memory;
        if (device.memory) *device.memory /= on_node[node];
        else if (shared > 0) device.memory = shared / on_host[device.host];
        placement.stages.push_back(std::move(device));
    }
    placement.data = data;
    placement.hosts = hosts;
    placement.links = links;
    return placement;
}

std::vector<PlannedDevice> NodePool::place_data(const std::vector<std::int32_t>& order, std::int32_t instances) const {
    std::vector<std::int32_t> used(nodes.size(), 0);
    for (const std::int32_t node : order) ++used[node];
    const auto end = used.begin() + static_cast<std::ptrdiff_t>(ready > 0 ? ready : nodes.size());
    std::vector<PlannedDevice> devices;
    for (std::int32_t i = 0; i < instances; ++i) {
        const auto node = std::min_element(used.begin(), end);
        devices.push_back(data ? *data : nodes[static_cast<std::size_t>(node - used.begin())]);
        ++*node;
    }
    return devices;
}

std::vector<std::string> NodePool::secure_nodes() const {
    std::vector<std::string> names;
    for (const PlannedDevice& device : nodes)
        if (device.secure && !device.node.empty()) names.push_back(device.node);
    return names;
}

bool NodePool::is_disturbed_by(const PathRelay& relay) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](const PlannedDevice& node) {
        const HostModel& host = hosts[node.host];
        return host.cores > 0 && host.name == relay.host;
    });
}

bool NodePool::has_disturbing_relays() const {
    if (!links.paths) return false;
    for (const auto& [ends, path] : *links.paths)
        for (const PathRelay& relay : path.relays)
            if (is_disturbed_by(relay)) return true;
    return false;
}

void NodePool::assign_names(const std::vector<std::string>& names) {
    auto free = nodes.begin();
    for (const std::string& name : names) {
        if (name.empty() || find(name) >= 0) continue;
        free = std::find_if(free, nodes.end(), [](const PlannedDevice& device) { return device.node.empty(); });
        if (free == nodes.end()) return;
        free->node = name;
        free->name = name + " " + free->name;
    }
}

NodePool default_pool(const std::string& device, double threads) {
    Placement placement = default_placement(static_cast<std::int32_t>(plan::most_stages), device, threads);
    NodePool pool;
    pool.ready = placement.stages.size();
    pool.nodes = std::move(placement.stages);
    pool.hosts = std::move(placement.hosts);
    pool.links = std::move(placement.links);
    return pool;
}

}  // namespace divisi::price
