// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/mesh_paths.h"

#include <algorithm>
#include <set>

#include "backend/control/types/mesh_types.h"
#include "backend/control/types/policy_settings.h"
#include "backend/mesh/base/topology.h"

namespace divisi::submit {

using namespace control;

namespace {

/// Tolerance for the time per byte: links that differ by less than this count as equally narrow, since measurements are
/// not more precise.
constexpr double equally_narrow = 0.05;
/// Percentage of tensors on the first path if no policy sets it.
constexpr std::int64_t default_share = 100;

mesh::RoutingId routing_id(const MeshMember& device) { return mesh::RoutingId(static_cast<std::uint16_t>(device.id)); }

/// Returns the pairs of names that a link connects, in both directions.
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

/// Returns the same topology that the devices have (MeshTable).
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

/// Links between an instance and its gateway, in both directions, priced as between two instances on the same hosts.
struct Access {
    price::LinkModel out, in;
    bool operator==(const Access&) const = default;
};
Access access(const ClusterState& state, const NodeInfo& node, const MeshMember& gateway) {
    NodeInfo beside = node;
    beside.id = NodeId(gateway.name);
    beside.host = gateway.host;
    return {link_between(state, node, beside).model, link_between(state, beside, node).model};
}

/// Returns the percentage of tensors on the first path, by the current policy.
std::int64_t share_of(const ClusterState& state, const MeshMember& here, const MeshMember& there) {
    if (state.policies.empty()) return default_share;
    const auto& entries = state.policies.rbegin()->second.entries;
    return value_of(entries, PolicyKey::share, here.name, there.name).value_or(default_share);
}

/// Returns the names of the devices from gateway to gateway; empty if there is no path.
std::vector<std::string> way_between(const ClusterState& state, const mesh::Topology& topology, const MeshMember& here,
                                     const MeshMember& there) {
    const auto ways = mesh::two_paths(topology, routing_id(here), routing_id(there));
    if (!ways) return {};
    const bool by_backup = share_of(state, here, there) < 50 && !ways->backup.empty();
    std::vector<std::string> names;
    for (const mesh::RoutingId id : by_backup ? ways->backup : ways->primary)
        names.push_back(topology.device(id)->name);
    return names;
}

/// A path, before it is known which of its links other paths share.
struct Way {
    std::pair<std::int32_t, std::int32_t> ends;
    std::vector<std::string> devices;
    std::vector<Hop> hops;
};

std::vector<Hop> hops_along(const ClusterState& state, const std::vector<std::string>& devices, const NodeInfo& from,
                            const NodeInfo& to) {
    const MeshMember &first = state.devices.at(devices.front()), &last = state.devices.at(devices.back());
    std::vector<Hop> hops{{"", first.name, access(state, from, first).out}};
    for (std::size_t i = 1; i < devices.size(); ++i) {
        const MeshMember &before = state.devices.at(devices[i - 1]), &next = state.devices.at(devices[i]);
        hops.push_back({before.name, next.name, link_between(state, before, next).model});
    }
    hops.push_back({last.name, "", access(state, to, last).in});
    return hops;
}

/// Counts the paths on each link. Leaves out links between instances and gateways, because only paths of one host share
/// them.
HopUses uses_of(const std::vector<Way>& ways) {
    HopUses uses;
    for (const Way& way : ways)
        for (const Hop& hop : way.hops)
            if (!hop.from.empty() && !hop.to.empty()) ++uses[{hop.from, hop.to}];
    return uses;
}

/// Returns the path's devices as relays. hops[i] leads to device i, and hops[i + 1] leads from it to the next device.
std::vector<price::PathRelay> relays_of(const ClusterState& state, const Way& way) {
    std::vector<price::PathRelay> relays;
    for (std::size_t i = 0; i < way.devices.size(); ++i) {
        const price::LinkModel &in = way.hops[i].link, &out = way.hops[i + 1].link;
        relays.push_back({state.devices.at(way.devices[i]).host, in.message_s + out.message_s,
                          in.serialize_s_per_byte + out.serialize_s_per_byte});
    }
    return relays;
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

price::MeshPath joined(const std::vector<Hop>& hops, const HopUses& uses) {
    price::MeshPath path;
    if (hops.empty()) return path;
    path.link.source = price::LinkSource::measured;
    const Hop* narrowest = &hops.front();
    double messages_s = 0, all_s_per_byte = 0;
    for (const Hop& hop : hops) {
        path.link.latency_s += hop.link.latency_s;
        messages_s += hop.link.message_s;
        all_s_per_byte += s_per_byte(hop.link);
        path.link.message_s = std::max(path.link.message_s, hop.link.message_s);
        path.link.source = std::min(path.link.source, hop.link.source);
        if (s_per_byte(hop.link) > s_per_byte(narrowest->link)) narrowest = &hop;
    }
    path.link.latency_s += messages_s - path.link.message_s;
    path.link.bytes_per_s = narrowest->link.bytes_per_s;
    path.link.serialize_s_per_byte = narrowest->link.serialize_s_per_byte;
    path.link.relayed_s_per_byte = std::max(all_s_per_byte - s_per_byte(narrowest->link), 0.0);
    const auto paths_by = [&](const Hop& hop) {
        const auto found = uses.find({hop.from, hop.to});
        return found == uses.end() ? 0 : found->second;
    };
    const Hop* shared = narrowest;
    for (const Hop& hop : hops) {
        const bool narrow = s_per_byte(hop.link) >= (1 - equally_narrow) * s_per_byte(narrowest->link);
        if (narrow && paths_by(hop) >= paths_by(*shared)) shared = &hop;
    }
    path.narrowest = shared->from + ", " + shared->to;
    return path;
}

bool enter_alike(const ClusterState& state, const NodeInfo& a, const NodeInfo& b) {
    if (a.mic != b.mic) return false;
    const MeshMember* gateway = gateway_of(state, a.mic);
    return !gateway || access(state, a, *gateway) == access(state, b, *gateway);
}

price::MeshPaths mesh_paths(const ClusterState& state, const std::vector<const NodeInfo*>& ends) {
    const auto topology = topology_of(state);
    if (!topology) return {};
    std::map<std::pair<const MeshMember*, const MeshMember*>, std::vector<std::string>> known;
    std::vector<Way> ways;
    for (std::size_t from = 0; from < ends.size(); ++from)
        for (std::size_t to = 0; to < ends.size(); ++to) {
            const MeshMember* here = gateway_of(state, ends[from]->mic);
            const MeshMember* there = gateway_of(state, ends[to]->mic);
            if (!here || !there || here == there) continue;
            const auto [way, fresh] = known.try_emplace({here, there});
            if (fresh) way->second = way_between(state, *topology, *here, *there);
            if (way->second.empty()) continue;
            ways.push_back({{static_cast<std::int32_t>(from), static_cast<std::int32_t>(to)},
                            way->second,
                            hops_along(state, way->second, *ends[from], *ends[to])});
        }
    const HopUses uses = uses_of(ways);
    price::MeshPaths paths;
    for (Way& way : ways) {
        price::MeshPath path = joined(way.hops, uses);
        path.relays = relays_of(state, way);
        path.devices = std::move(way.devices);
        paths[way.ends] = std::move(path);
    }
    return paths;
}

std::vector<HostLink> device_links(const ClusterState& state) {
    std::vector<HostLink> links;
    for (const auto& [from, to] : ends_of_links(state))
        links.push_back({from, to, link_between(state, state.devices.at(from), state.devices.at(to))});
    return links;
}

}  // namespace divisi::submit
