// SPDX-License-Identifier: Apache-2.0
#include "backend/submit/node_pool.h"

#include <algorithm>
#include <map>

#include "backend/plan/cut_choice.h"
#include "backend/submit/link_prices.h"
#include "backend/submit/mesh_paths.h"

namespace divisi::submit {

using namespace control;

namespace {

/// Returns the node's device that `wanted` names: "cuda:1" means this device, "cuda" the first device of this kind. If
/// the node has no such device, returns its first device, or a cpu if it has none at all.
const Device& device_of(const NodeInfo& node, const std::string& wanted) {
    static const Device unknown{"cpu", "cpu", 0, 0};
    for (const Device& device : node.devices)
        if (device.name == wanted) return device;
    for (const Device& device : node.devices)
        if (device.name.starts_with(wanted)) return device;
    return node.devices.empty() ? unknown : node.devices.front();
}

/// Adds a host unless it is present; returns its number.
std::int32_t host_of(std::vector<price::HostModel>& hosts, const NodeInfo& node) {
    const auto found =
        std::find_if(hosts.begin(), hosts.end(), [&](const auto& host) { return host.name == node.host; });
    if (found != hosts.end()) return static_cast<std::int32_t>(found - hosts.begin());
    const Device& machine = device_of(node, "cpu");
    hosts.push_back({node.host, static_cast<double>(machine.cores), machine.name == "cpu" ? machine.memory : 0});
    return static_cast<std::int32_t>(hosts.size()) - 1;
}

/// Returns the number of a node's MIC for price::LinkEnd: the index in `ends` of a node that enters the mesh at the
/// same prices. Adds the node if it is not there yet.
std::int32_t mic_of(const ClusterState& state, std::vector<const NodeInfo*>& ends, const NodeInfo& node) {
    auto found =
        std::find_if(ends.begin(), ends.end(), [&](const auto* one) { return enter_alike(state, *one, node); });
    if (found == ends.end()) found = ends.insert(ends.end(), &node);
    return static_cast<std::int32_t>(found - ends.begin());
}

price::PlannedDevice planned(std::vector<price::HostModel>& hosts, const NodeInfo& node, const PlacementWish& wish,
                             const ProfileOf& profile_of) {
    const Device& device = device_of(node, wish.device);
    const bool processor = device.name == "cpu";
    price::PlannedDevice result;
    result.name = node.id.value() + " " + device.name;
    result.node = node.id.value();
    result.secure = node.secure;
    result.profile = profile_of(device);
    // A CPU node for which no memory is stated uses the memory of its host.
    if (node.memory > 0) result.memory = node.memory;
    else if (!processor && device.memory > 0) result.memory = device.memory;
    result.host = host_of(hosts, node);
    result.threads = processor ? wish.threads : 1;
    return result;
}

std::vector<std::string> names_in(const PlacementWish& wish) {
    std::vector<std::string> names = wish.stage_nodes;
    names.push_back(wish.data_node);
    names.insert(names.end(), wish.others.begin(), wish.others.end());
    return names;
}

/// Nodes of a pool, grouped by host.
using NodesOfHosts = std::map<std::int32_t, std::vector<const NodeInfo*>>;

price::Links planned_links(const ClusterState& state, const NodesOfHosts& nodes) {
    price::Links links = price::default_links();
    for (const auto& [from, here] : nodes)
        for (const auto& [to, there] : nodes) {
            const price::LinkModel model = link_between(state, *here.front(), *there.back()).model;
            if (model.source == price::LinkSource::standard) continue;
            // If there is only one host, a by_host entry would make it count as a different kind of host.
            if (nodes.size() == 1) links.within_host = model;
            else links.by_host[{from, to}] = model;
        }
    return links;
}

}  // namespace

price::NodePool node_pool(const ClusterState& state, const PlacementWish& wish, const ProfileOf& profile_of) {
    price::NodePool pool;
    pool.wanted = wish.stage_nodes;
    NodesOfHosts hosts;
    std::vector<const NodeInfo*> ends;  // one node for each group that enter_alike() considers equal
    const auto add = [&](const NodeInfo& node) {
        pool.nodes.push_back(planned(pool.hosts, node, wish, profile_of));
        pool.nodes.back().mic = mic_of(state, ends, node);
        hosts[pool.nodes.back().host].push_back(&node);
    };
    PlanSummary plan;
    plan.threads = static_cast<std::int32_t>(wish.threads);
    plan.wish = wish.nodes;
    const PlacementRequest request{{}, {}, state.time};
    for (const NodeId& id :
         Vacancies(state, use_of(state)).in_turn(plan, request, static_cast<std::size_t>(plan::most_stages)))
        add(state.nodes.at(id).info);
    for (const auto& [id, node] : state.nodes)
        if (node.state == NodeState::ready && !node.draining && pool.find(id.value()) < 0 &&
            may_run_on(state, wish.nodes, node.info))
            add(node.info);
    if (pool.nodes.empty()) return one_host(wish, {"cpu", "cpu", 0, 0}, profile_of);
    pool.ready = pool.nodes.size();
    for (const std::string& name : names_in(wish))
        if (const auto known = state.nodes.find(NodeId(name)); known != state.nodes.end() && pool.find(name) < 0)
            add(known->second.info);
    if (!wish.data_node.empty()) pool.data = pool.nodes[std::max(0, pool.find(wish.data_node))];
    pool.links = planned_links(state, hosts);
    if (auto paths = mesh_paths(state, ends); !paths.empty())
        pool.links.paths = std::make_shared<const price::MeshPaths>(std::move(paths));
    pool.complete = true;
    return pool;
}

price::NodePool one_host(const PlacementWish& wish, const Device& machine, const ProfileOf& profile_of,
                         const price::Links& links) {
    NodeInfo node;
    node.host = "this machine";
    node.devices = {machine};
    price::NodePool pool;
    pool.wanted = wish.stage_nodes;
    price::PlannedDevice device = planned(pool.hosts, node, wish, profile_of);
    device.name = machine.name;
    device.secure = true;  // no cluster file states otherwise
    pool.nodes.assign(static_cast<std::size_t>(plan::most_stages), device);
    pool.ready = pool.nodes.size();
    pool.assign_names(names_in(wish));
    if (!wish.data_node.empty()) pool.data = pool.nodes[std::max(0, pool.find(wish.data_node))];
    pool.links = links;
    return pool;
}

}  // namespace divisi::submit
