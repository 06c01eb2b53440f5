// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/stated_nodes.h"

#include <algorithm>

#include "backend/control/state/pools.h"

namespace divisi::control::inline state {
namespace {

bool has_gpu(const NodeInfo& node) {
    return std::any_of(node.devices.begin(), node.devices.end(),
                       [](const Device& device) { return device.name != "cpu"; });
}

StatedNode stated(const task::ClusterNode& node) {
    return {static_cast<std::int32_t>(node.cores), node.memory, node.flops_per_s, node.bytes_per_s, node.secure};
}

/// Returns "10.0.0.2" for "tcp://10.0.0.2:7610".
std::string host_of(const std::string& endpoint) {
    const std::string scheme = "tcp://";
    if (!endpoint.starts_with(scheme)) return "this machine";
    return endpoint.substr(scheme.size(), endpoint.rfind(':') - scheme.size());
}

/// Returns the member for a device: a gateway if it has a MIC, otherwise a router.
MeshMember member_of(const task::ClusterDevice& device, std::uint32_t id, const MicId& mic) {
    const auto role = mic.value().empty() ? mesh::DeviceRole::router : mesh::DeviceRole::gateway;
    return {id, device.name, role, mic, device.host, device.links};
}

}  // namespace

std::map<NodeId, StatedNode> stated_nodes(const task::ClusterSpec& spec) {
    std::map<NodeId, StatedNode> nodes;
    for (const task::ClusterMic& mic : spec.mics)
        for (const task::ClusterNode& node : mic.nodes) nodes[NodeId(mic.name + "/" + node.name)] = stated(node);
    return nodes;
}

void apply_stated(NodeInfo& node, const StatedNode& stated) {
    node.memory = stated.memory;
    node.secure = stated.secure;
    const bool gpu = has_gpu(node);
    for (Device& device : node.devices) {
        if (stated.cores > 0 && device.name == "cpu") device.cores = stated.cores;
        const bool meant = (device.name != "cpu") == gpu;
        device.flops_per_s = meant ? stated.flops_per_s : 0;
        device.bytes_per_s = meant ? stated.bytes_per_s : 0;
    }
}

std::vector<StatedLink> stated_links(const task::ClusterSpec& spec) {
    std::vector<StatedLink> links;
    for (const task::ClusterLink& link : spec.links)
        links.push_back({link.from, link.to, link.latency_s, link.bytes_per_s});
    return links;
}

ClusterState assume_all_ready(const task::ClusterSpec& spec) {
    ClusterState state;
    state.name = spec.name;
    state.stated_links = stated_links(spec);
    state.pools = stated_pools(spec);
    state.queue = stated_queue(spec);
    for (const task::ClusterMic& mic : spec.mics) {
        for (const task::ClusterNode& node : mic.nodes) {
            NodeInfo info;
            info.id = NodeId(mic.name + "/" + node.name);
            info.mic = MicId(mic.name);
            info.host = node.host.empty() ? host_of(node.endpoint) : node.host;
            for (const std::string& device : node.devices) info.devices.push_back({device, device});
            const bool gpu = has_gpu(info);
            for (Device& device : info.devices)
                if (!node.type.empty() && (device.name != "cpu") == gpu) device.type = node.type;
            apply_stated(info, stated(node));
            state.nodes[info.id].info = std::move(info);
        }
    }
    std::uint32_t id = 0;
    for (const auto& mic : spec.mics)
        if (mic.gateway) state.devices[mic.gateway->name] = member_of(*mic.gateway, ++id, MicId(mic.name));
    for (const auto& router : spec.routers) state.devices[router.name] = member_of(router, ++id, {});
    return state;
}

}  // namespace divisi::control::inline state
