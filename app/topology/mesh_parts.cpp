// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/mesh_parts.h"

#include "backend/control/protocol/mesh_messages.h"

namespace divisi::topology {

void MeshParts::add(const control::ClusterState& cluster, const control::MeshState& mesh) {
    for (const auto& [id, node] : cluster.nodes)
        if (node.state != control::NodeState::left) mics[node.info.mic.value()].nodes.insert(id.value());
    std::map<std::uint32_t, std::string> names;
    for (const control::DeviceView& device : mesh.devices) {
        names[device.id] = device.info.name;
        if (device.info.role == mesh::DeviceRole::router) routers.insert(device.info.name);
        else mics[device.info.mic.value()].gateway = device.info.name;
    }
    for (const control::TableLink& link : mesh.links) {
        const auto a = names.find(link.a), b = names.find(link.b);
        if (a != names.end() && b != names.end()) links.insert(link_name(a->second, b->second));
    }
}

}  // namespace divisi::topology
