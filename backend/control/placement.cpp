// SPDX-License-Identifier: Apache-2.0
#include "backend/control/placement.h"

#include <algorithm>
#include <tuple>

namespace divisi::control {
namespace {

/// Cores of each host: of the node that has most, where a cluster file states their shares.
std::map<std::string, double> cores_of_hosts(const ClusterState& state) {
    std::map<std::string, double> cores;
    for (const auto& [id, node] : state.nodes)
        for (const Device& device : node.info.devices)
            if (device.name == "cpu" && node.state == NodeState::ready)
                cores[node.info.host] = std::max(cores[node.info.host], static_cast<double>(device.cores));
    return cores;
}

template <typename K, typename V>
V value_of(const std::map<K, V>& map, const K& key, V otherwise) {
    const auto found = map.find(key);
    return found == map.end() ? otherwise : found->second;
}

bool is_there(const NodeView& node) { return node.state == NodeState::ready || node.state == NodeState::away; }

}  // namespace

NodeUse use_of(const ClusterState& state) {
    NodeUse use;
    std::map<NodeId, std::map<TaskId, bool>> tasks;
    for (const auto& [id, instance] : state.instances) {
        const auto task = state.tasks.find(instance.task);
        const auto node = state.nodes.find(instance.node);
        if (task == state.tasks.end() || task->second.over() || node == state.nodes.end()) continue;
        if (tasks[instance.node].emplace(instance.task, true).second) ++use.tasks[instance.node];
        use.threads[node->second.info.host] += 1;
    }
    return use;
}

std::vector<NodeId> nodes_in_turn(const ClusterState& state, const NodeUse& use, double threads, std::size_t most) {
    const auto cores = cores_of_hosts(state);
    auto used = use.threads;
    std::vector<const NodeView*> left;
    for (const auto& [id, node] : state.nodes)
        if (node.state == NodeState::ready) left.push_back(&node);
    const auto rank = [&](const NodeView* node) {
        const NodeInfo& info = node->info;
        const double has = value_of(cores, info.host, 0.0);
        const bool crowded = has > 0 && has < used[info.host] + threads;
        const bool scarce = value_of(use.memory_free, info.id, scarce_memory) < scarce_memory;
        return std::tuple(value_of(use.tasks, info.id, 0), crowded, scarce);
    };
    std::vector<NodeId> turn;
    while (!left.empty() && turn.size() < most) {
        // The first of equals is the first by name, as the state keeps them.
        const auto best =
            std::min_element(left.begin(), left.end(), [&](auto* a, auto* b) { return rank(a) < rank(b); });
        turn.push_back((*best)->info.id);
        used[(*best)->info.host] += threads;
        left.erase(best);
    }
    return turn;
}

Result<std::vector<NodeId>> place_plan(const ClusterState& state, const PlanSummary& plan, const NodeUse& use) {
    const auto most = static_cast<std::size_t>(std::max(plan.stages, 1));
    const std::vector<NodeId> turn = nodes_in_turn(state, use, plan.threads, most);
    if (turn.empty())
        return Error{ErrorCode::unavailable, "no node is ready", "cluster " + state.name,
                     "start a node agent (divisi-node), or look at 'divisictl cluster status'"};
    const auto named = [&](const std::string& name, const char* key) -> Result<NodeId> {
        const auto found = state.nodes.find(NodeId(name));
        if (found != state.nodes.end() && found->second.state == NodeState::ready) return found->first;
        std::string known;
        for (const auto& [id, node] : state.nodes)
            if (node.state == NodeState::ready) known += (known.empty() ? "" : ", ") + id.value();
        return Error{ErrorCode::not_found, "no ready node is called '" + name + "'", std::string("[place] ") + key,
                     "ready nodes: " + known};
    };
    std::vector<NodeId> nodes;
    for (std::size_t stage = 0; stage < static_cast<std::size_t>(plan.stages); ++stage) {
        if (stage < plan.stage_nodes.size() && !plan.stage_nodes[stage].empty()) {
            DIVISI_ASSIGN(NodeId node, named(plan.stage_nodes[stage], "stages"));
            nodes.push_back(std::move(node));
        } else {
            nodes.push_back(turn[stage % turn.size()]);
        }
    }
    if (!plan.data_node.empty()) {
        DIVISI_ASSIGN(NodeId node, named(plan.data_node, "data"));
        nodes.push_back(std::move(node));
    }
    return nodes;
}

std::string host_label(const ClusterState& state, const NodeInfo& node) {
    if (node.machine.empty()) return node.host;
    const std::string labels[] = {node.host, node.host + "~" + node.machine.substr(0, 4),
                                  node.host + "~" + node.machine};
    const auto any = [&](const std::string& label, bool same_machine) {
        return std::any_of(state.nodes.begin(), state.nodes.end(), [&](const auto& entry) {
            const NodeInfo& other = entry.second.info;
            return other.id != node.id && is_there(entry.second) && other.host == label &&
                   (other.machine == node.machine) == same_machine;
        });
    };
    // What was measured is kept by label, so a machine keeps the one that it had.
    const auto had = [&](const std::string& label) {
        return std::any_of(state.nodes.begin(), state.nodes.end(), [&](const auto& entry) {
            return entry.second.info.machine == node.machine && entry.second.info.host == label;
        });
    };
    for (const std::string& label : labels)
        if (any(label, true)) return label;
    for (const std::string& label : labels)
        if (had(label) && !any(label, false)) return label;
    for (const std::string& label : labels)
        if (!any(label, false)) return label;
    return labels[2];
}

}  // namespace divisi::control
