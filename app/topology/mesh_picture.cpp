// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/mesh_picture.h"

#include <algorithm>

#include "app/model/wording/drain_text.h"
#include "app/topology/node_age.h"

namespace divisi::topology {

namespace {

void add_instances(MeshPicture& picture, const client::ClusterData& cluster, const TaskId& chosen) {
    for (const auto& [id, task] : cluster.state.tasks) {
        if (task.over()) continue;
        auto instances = control::instances_of(cluster.state, id);
        for (const control::InstanceView* one : control::standbys_of(cluster.state, id))
            if (control::stands_by(*one)) instances.push_back(one);
        for (const control::InstanceView* one : instances) {
            const auto node = picture.nodes.find(one->node.value());
            if (node == picture.nodes.end()) continue;
            InstanceLook look{one->id.value(), one->state, one->stage, 0, id == chosen};
            const auto loads = cluster.loads.find(one->id);
            if (loads != cluster.loads.end() && !loads->second.empty())
                look.busy_share = loads->second.back().load.busy_share;
            node->second.lit |= look.lit;
            node->second.instances.push_back(std::move(look));
        }
    }
}

void add_nodes(MeshPicture& picture, const MeshParts& parts, const control::ClusterState& state) {
    for (const auto& [name, mic] : parts.mics) {
        MicLook& look = picture.mics[name];
        for (const std::string& node : mic.nodes) {
            const auto view = state.nodes.find(NodeId(node));
            NodeLook& one = picture.nodes[node];
            if (view != state.nodes.end()) one.state = view->second.state;
            const bool left = !one.state || *one.state == control::NodeState::left;
            ++(left ? look.left : look.nodes);
            look.ready += one.state == control::NodeState::ready ? 1 : 0;
        }
    }
}

DeviceLook look_of(const control::DeviceView& view, const MeshWatch& watch) {
    DeviceLook look;
    look.role = view.info.role;
    look.presence = view.up ? Presence::here : Presence::away;
    look.heard = watch.heard(view.info.name);
    look.held = view.held;
    look.promised = view.promised;
    look.buffer = view.info.buffer;
    look.idle = view.up;
    return look;
}

LaneLook lane_of(const MeshWatch& watch, const std::string& from, const std::string& to) {
    LaneLook look;
    const LaneFigures* figures = watch.lane(from, to);
    const control::DeviceView* sender = watch.device(from);
    if (!figures || !sender || !sender->up) return look;
    look.reported = true;
    look.heard = watch.heard(from);
    look.bytes_per_s = figures->bytes_per_s;
    look.credit = figures->credit;
    look.most_credit = figures->most_credit;
    look.queued = figures->queued;
    return look;
}

LinkLook link_of(const MeshWatch& watch, const LinkName& link) {
    const auto& [a, b] = link;
    LinkLook look;
    look.there = lane_of(watch, a, b);
    look.back = lane_of(watch, b, a);
    const bool broken =
        (look.there.reported && !watch.lane(a, b)->usable) || (look.back.reported && !watch.lane(b, a)->usable);
    if (broken) look.state = LinkState::failed;
    else if (look.there.reported || look.back.reported) look.state = LinkState::usable;
    if (const control::LinkFault* fault = watch.fault(a, b)) look.fault = *fault;
    const bool traffic = look.there.bytes_per_s.value_or(0) > 0 || look.back.bytes_per_s.value_or(0) > 0;
    look.idle = !traffic && !broken && !look.fault;
    return look;
}

/// Marks the devices and links along the path of one flow.
void follow(MeshPicture& picture, const MeshWatch& watch, const std::vector<std::uint32_t>& path, bool lit) {
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        const std::string &from = watch.name_of(path[i]), &to = watch.name_of(path[i + 1]);
        const auto link = picture.links.find(link_name(from, to));
        if (link == picture.links.end()) continue;
        link->second.idle = false;
        if (lit) (link->first.first == from ? link->second.there : link->second.back).lit = true;
        for (const std::string& end : {from, to}) {
            const auto device = picture.devices.find(end);
            if (device == picture.devices.end()) continue;
            device->second.idle = false;
            device->second.lit |= lit;
        }
    }
}

void settle_idle(MeshPicture& picture, const MeshParts& parts) {
    for (const auto& [name, link] : picture.links) {
        if (link.idle) continue;
        for (const std::string& end : {name.first, name.second})
            if (const auto device = picture.devices.find(end); device != picture.devices.end())
                device->second.idle = false;
    }
    for (auto& [name, look] : picture.mics) {
        const MeshParts::Mic& mic = parts.mics.at(name);
        look.idle = look.ready == look.nodes && std::ranges::all_of(mic.nodes, [&](const std::string& node) {
                        return picture.nodes.at(node).idle();
                    });
        const auto gateway = picture.devices.find(mic.gateway);
        if (gateway != picture.devices.end() && !gateway->second.idle) look.idle = false;
    }
}

}  // namespace

std::optional<MeshWatch::Time> LinkLook::heard() const {
    std::optional<MeshWatch::Time> oldest;
    for (const LaneLook* lane : {&there, &back})
        if (lane->heard && (!oldest || *lane->heard < *oldest)) oldest = lane->heard;
    return oldest;
}

MeshPicture picture_of(const MeshParts& parts, const client::ClusterData& cluster, const MeshWatch& watch,
                       const TaskId& task) {
    MeshPicture picture;
    add_nodes(picture, parts, cluster.state);
    add_instances(picture, cluster, task);
    for (auto& [node, look] : picture.nodes) look.draining = model::drain_text(cluster.state, NodeId(node));
    for (const auto& [node, heard] : nodes_heard(cluster))
        if (const auto found = picture.nodes.find(node.value()); found != picture.nodes.end())
            found->second.heard = heard;
    for (const std::string& router : parts.routers) picture.devices[router].role = mesh::DeviceRole::router;
    for (const auto& [name, mic] : parts.mics)
        if (!mic.gateway.empty()) picture.devices[mic.gateway].role = mesh::DeviceRole::gateway;
    for (const control::DeviceView& view : watch.mesh().devices)
        if (const auto device = picture.devices.find(view.info.name); device != picture.devices.end())
            device->second = look_of(view, watch);
    for (const LinkName& link : parts.links) picture.links[link] = link_of(watch, link);
    for (const control::DeviceView& view : watch.mesh().devices) {
        // Use only the reports of gateways, because the first gateway of a flow chooses its path. Routers may still
        // report an old path.
        if (!view.up || view.info.role != mesh::DeviceRole::gateway) continue;
        for (const control::FlowReport& flow : view.flows)
            follow(picture, watch, flow.path, !task.value().empty() && flow.task == task);
    }
    settle_idle(picture, parts);
    return picture;
}

}  // namespace divisi::topology
