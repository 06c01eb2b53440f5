// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/mesh_paths.h"

#include <algorithm>
#include <set>

#include "backend/control/mesh_types.h"
#include "backend/mesh/topology.h"

namespace divisi::submit {

using namespace control;

namespace {

mesh::RoutingId routing_id(const MeshMember& device) { return mesh::RoutingId(static_cast<std::uint16_t>(device.id)); }

/// By their names, each way.
std::set<std::pair<std::string, std::string>> ends_of_links(const ClusterState& state) {
    std::set<std::pair<std::string, std::string>> ends;
    for (const auto& [name, device] : state.devices)
        for (const std::string& neighbour : device.neighbours)
            if (state.devices.contains(neighbour)) {
                ends.insert({name, neighbour});
                ends.insert({neighbour, name});
            }
    return ends;
}

/// As the devices have it (MeshTable).
Result<mesh::Topology> topology_of(const ClusterState& state) {
    std::vector<mesh::Device> devices;
    for (const auto& [name, device] : state.devices) {
        mesh::Device& one = devices.emplace_back();
        one.id = routing_id(device);
        one.name = name;
        one.role = device.role;
        one.mic = device.mic;
    }
    std::vector<mesh::Link> links;
    for (const auto& [from, to] : ends_of_links(state))
        if (from < to)
            links.push_back({routing_id(state.devices.at(from)), routing_id(state.devices.at(to)), table_latency_s,
                             table_bytes_per_s, 0, true});
    mesh::Topology topology;
    DIVISI_TRY(topology.set(std::move(devices), std::move(links)));
    return topology;
}

const MeshMember* gateway_of(const ClusterState& state, const MicId& mic) {
    for (const auto& [name, device] : state.devices)
        if (device.role == mesh::DeviceRole::gateway && device.mic == mic) return &device;
    return nullptr;
}

/// Between an instance and its gateway: as between two instances of the same hosts.
price::LinkModel access(const ClusterState& state, const NodeInfo& node, const MeshMember& gateway) {
    NodeInfo beside = node;
    beside.id = NodeId(gateway.name);
    beside.host = gateway.host;
    return link_between(state, node, beside).model;
}

double s_per_byte(const price::LinkModel& link) {
    return link.serialize_s_per_byte + (link.bytes_per_s > 0 ? 1 / link.bytes_per_s : 0);
}

}  // namespace

KnownLink link_between(const ClusterState& state, const MeshMember& from, const MeshMember& to) {
    const price::Links standard = price::default_links();
    KnownLink link{LinkTransport::mesh, from.host == to.host ? standard.within_host : standard.between_hosts,
                   std::nullopt};
    if (const auto found = state.links.find({from.name, to.name, LinkTransport::mesh}); found != state.links.end()) {
        link.model = model_of(found->second.link.figures);
        link.measured = found->second;
        return link;
    }
    const StatedLink* said = nullptr;
    for (const StatedLink& one : state.stated_links) {
        if (one.from == from.name && one.to == to.name) said = &one;
        if (!said && one.from == to.name && one.to == from.name) said = &one;
    }
    if (said) link.model = model_of(*said, link.model);
    return link;
}

double bytes_per_s(const price::LinkModel& link) {
    const double seconds = s_per_byte(link);
    return seconds > 0 ? 1 / seconds : 0;
}

price::MeshPath joined(const std::vector<Hop>& hops) {
    price::MeshPath path;
    if (hops.empty()) return path;
    path.link.source = price::LinkSource::measured;
    const Hop* narrowest = &hops.front();
    double messages_s = 0;
    for (const Hop& hop : hops) {
        path.link.latency_s += hop.link.latency_s;
        messages_s += hop.link.message_s;
        path.link.message_s = std::max(path.link.message_s, hop.link.message_s);
        path.link.source = std::min(path.link.source, hop.link.source);
        if (s_per_byte(hop.link) > s_per_byte(narrowest->link)) narrowest = &hop;
    }
    path.link.latency_s += messages_s - path.link.message_s;
    path.link.bytes_per_s = narrowest->link.bytes_per_s;
    path.link.serialize_s_per_byte = narrowest->link.serialize_s_per_byte;
    path.narrowest = narrowest->from + ", " + narrowest->to;
    return path;
}

price::MeshPaths mesh_paths(const ClusterState& state, const std::vector<const NodeInfo*>& mics) {
    price::MeshPaths paths;
    const auto topology = topology_of(state);
    if (!topology) return paths;
    const auto add = [&](std::size_t from, std::size_t to) {
        const MeshMember* here = gateway_of(state, mics[from]->mic);
        const MeshMember* there = gateway_of(state, mics[to]->mic);
        if (!here || !there || here == there) return;
        const auto ways = mesh::two_paths(*topology, routing_id(*here), routing_id(*there));
        if (!ways) return;
        std::vector<Hop> hops{{mics[from]->mic.value(), here->name, access(state, *mics[from], *here)}};
        std::vector<std::string> names{here->name};
        for (std::size_t i = 1; i < ways->primary.size(); ++i) {
            const MeshMember& before = state.devices.at(names.back());
            const MeshMember& next = state.devices.at(topology->device(ways->primary[i])->name);
            hops.push_back({before.name, next.name, link_between(state, before, next).model});
            names.push_back(next.name);
        }
        hops.push_back({there->name, mics[to]->mic.value(), access(state, *mics[to], *there)});
        price::MeshPath path = joined(hops);
        path.devices = std::move(names);
        paths[{static_cast<std::int32_t>(from), static_cast<std::int32_t>(to)}] = std::move(path);
    };
    for (std::size_t from = 0; from < mics.size(); ++from)
        for (std::size_t to = 0; to < mics.size(); ++to)
            if (from != to) add(from, to);
    return paths;
}

std::vector<HostLink> device_links(const ClusterState& state) {
    std::vector<HostLink> links;
    for (const auto& [from, to] : ends_of_links(state))
        links.push_back({from, to, link_between(state, state.devices.at(from), state.devices.at(to))});
    return links;
}

}  // namespace divisi::submit
