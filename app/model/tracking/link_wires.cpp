// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/link_wires.h"

#include <map>

#include "backend/control/protocol/mesh_messages.h"

namespace divisi::model {

namespace {

/// Returns whether a path of devices uses the link between two names.
bool path_crosses(const std::vector<std::uint32_t>& path, const std::map<std::uint32_t, std::string>& names,
                  const Selected& link) {
    for (std::size_t hop = 1; hop < path.size(); ++hop) {
        const auto from = names.find(path[hop - 1]), to = names.find(path[hop]);
        if (from == names.end() || to == names.end()) continue;
        if (Selected::of_link(from->second, to->second) == link) return true;
    }
    return false;
}

/// Returns the running incarnation of a SID; empty if none is running.
InstanceId instance_with(const Sid& sid, const control::ClusterState& cluster) {
    InstanceId found;
    for (const auto& [id, instance] : cluster.instances)
        if (instance.sid == sid && !instance.exited) found = id;
    return found;
}

}  // namespace

std::set<Wire> wires_over(const Selected& link, const control::MeshState& mesh, const control::ClusterState& cluster) {
    std::set<Wire> wires;
    if (link.kind != Selected::Kind::link) return wires;
    std::map<std::uint32_t, std::string> names;
    for (const control::DeviceView& device : mesh.devices) names[device.id] = device.info.name;
    for (const control::DeviceView& device : mesh.devices)
        for (const control::FlowReport& flow : device.flows) {
            if (!path_crosses(flow.path, names, link)) continue;
            const InstanceId from = instance_with(flow.source, cluster), to = instance_with(flow.destination, cluster);
            if (from != InstanceId() && to != InstanceId()) wires.emplace(from, to);
        }
    return wires;
}

LinkWires::LinkWires(Selection& selection, client::Client* client) : selection_(selection), client_(client) {
    connect(&selection_, &Selection::changed, this, &LinkWires::ask);
    if (client_) client_->on_answer<control::QueryMesh>(this, &LinkWires::take);
}

/// Requests the mesh. Clears the wires of the previous link immediately.
void LinkWires::ask() {
    const bool had = !wires_.empty();
    wires_.clear();
    if (had) Q_EMIT changed();
    if (client_ && selection_.current().kind == Selected::Kind::link) client_->poll(control::QueryMesh{});
}

void LinkWires::take(const control::MeshState& mesh) {
    auto wires = wires_over(selection_.current(), mesh, client_->data().state);
    if (wires == wires_) return;
    wires_ = std::move(wires);
    Q_EMIT changed();
}

}  // namespace divisi::model

#include "moc_link_wires.cpp"
