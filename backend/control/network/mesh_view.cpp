// SPDX-License-Identifier: Apache-2.0
// Looks up gateways and routers for the policies.
#include <algorithm>

#include "backend/control/network/mesh_devices.h"
#include "backend/mesh/base/topology.h"

namespace divisi::control::inline network {
namespace {

std::vector<std::uint32_t> ids_of(const mesh::Path& path) {
    std::vector<std::uint32_t> ids;
    for (const mesh::RoutingId id : path) ids.push_back(id.value());
    return ids;
}

}  // namespace

const DeviceView* MeshDevices::view(const std::string& name) const {
    const Known* device = devices_.find(name);
    return device ? &device->view : nullptr;
}

std::optional<std::string> MeshDevices::name_of(PeerId peer) const {
    const Known* device = devices_.find(peer);
    if (!device) return std::nullopt;
    return device->view.info.name;
}

std::string MeshDevices::component_of(const std::string& name) const {
    return std::string(mesh::to_string(view(name)->info.role)) + " " + name;
}

std::string MeshDevices::name_of(std::uint32_t id) const {
    const Known* device = devices_.find(id);
    return device ? device->view.info.name : "device " + std::to_string(id);
}

bool MeshDevices::is_gateway(const std::string& name) const {
    const DeviceView* device = view(name);
    return device && device->info.role == mesh::DeviceRole::gateway;
}

bool MeshDevices::is_gateway(std::uint32_t id) const {
    const Known* device = devices_.find(id);
    return device && device->view.info.role == mesh::DeviceRole::gateway;
}

bool MeshDevices::plays(const Sid& sid) const {
    const TaskId task = task_of(sid);
    const auto found = context_.state().tasks.find(task);
    return found != context_.state().tasks.end() && found->second.runs() &&
           std::ranges::any_of(instances_of(context_.state(), task),
                               [&](const InstanceView* one) { return one->sid == sid; });
}

void MeshDevices::tell(const std::string& name, Message message) {
    const Known* device = devices_.find(name);
    if (device && device->peer) context_.send(*device->peer, std::move(message));
}

/// Returns the topology of the route table, which applies while nothing fails.
const mesh::Topology& MeshDevices::topology() const {
    if (topology_) return *topology_;
    MeshTable now;
    lay_out(now);
    std::vector<mesh::Device> devices;
    std::vector<mesh::Link> links;
    for (const TableDevice& one : now.devices)
        devices.push_back({routing_id(one.id), one.name, one.role, one.mic, one.endpoint, one.key, true, 0});
    for (const TableLink& one : now.links)
        links.push_back({routing_id(one.a), routing_id(one.b), one.latency_s, one.bytes_per_s, 0, true});
    topology_.emplace();
    (void)topology_->set(std::move(devices), std::move(links));  // a refused topology has no paths
    return *topology_;
}

const MeshDevices::Ways* MeshDevices::ways(std::uint32_t from, std::uint32_t to) const {
    const auto seen = ways_.find({from, to});
    if (seen != ways_.end()) return seen->second ? &*seen->second : nullptr;
    if (!is_gateway(from) || !is_gateway(to)) return nullptr;  // identifiers invented by a device are not cached
    const auto known = ways_.try_emplace({from, to}).first;
    const auto paths = mesh::two_paths(topology(), routing_id(from), routing_id(to));
    if (!paths) return nullptr;
    const auto first = ids_of(paths->primary), second = ids_of(paths->backup);
    known->second = Ways{first, second, names_between(first), names_between(second)};
    return &*known->second;
}

std::string MeshDevices::names_between(const std::vector<std::uint32_t>& path) const {
    std::string names;
    for (std::size_t i = 1; i + 1 < path.size(); ++i) names += (i == 1 ? "" : ", ") + name_of(path[i]);
    return names;
}

}  // namespace divisi::control::inline network
