// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/topology/node_age.h"

#include <algorithm>

#include "backend/control/protocol/silence.h"

namespace divisi::topology {

std::optional<SteadyTime> instance_heard(const client::ClusterData& cluster, const control::InstanceView& instance) {
    if (instance.state != control::InstanceState::prepared && instance.state != control::InstanceState::running)
        return std::nullopt;
    const auto task = cluster.state.tasks.find(instance.task);
    if (task == cluster.state.tasks.end() || task->second.over()) return std::nullopt;
    const auto loads = cluster.loads.find(instance.id);
    if (loads == cluster.loads.end() || loads->second.empty()) return std::nullopt;
    return loads->second.back().time;
}

std::map<NodeId, SteadyTime> nodes_heard(const client::ClusterData& cluster) {
    std::map<NodeId, SteadyTime> heard;
    const auto hear = [&heard](const NodeId& node, SteadyTime time) {
        const auto [known, fresh] = heard.emplace(node, time);
        if (!fresh) known->second = std::max(known->second, time);
    };
    for (const auto& [id, instance] : cluster.state.instances)
        if (const auto time = instance_heard(cluster, instance)) hear(instance.node, *time);
    for (const auto& [id, samples] : cluster.nodes)
        if (!samples.empty()) hear(id, samples.back().time);
    return heard;
}

const control::MachineFigures* machine_of(const client::ClusterData& cluster, const NodeId& node, SteadyTime now) {
    const auto told = cluster.nodes.find(node);
    if (told == cluster.nodes.end() || told->second.empty()) return nullptr;
    const client::NodeSample& last = told->second.back();
    return now - last.time <= control::node_machine_age ? &last.machine : nullptr;
}

bool is_silent(const std::optional<SteadyTime>& heard, SteadyTime now) {
    return heard && now - *heard > control::peer_timeout;
}

}  // namespace divisi::topology
