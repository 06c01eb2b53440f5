// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/snapshot_neighbour.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace divisi::control::inline change {

std::optional<NodeId> snapshot_neighbour(const OrchestratorContext& context, const TaskId& task, const NodeId& own,
                                         const std::set<NodeId>& without) {
    const auto& nodes = context.state().nodes;
    const auto from = nodes.find(own);
    if (from == nodes.end() || from->second.info.blob_endpoint.empty()) return std::nullopt;
    const NodeInfo& source = from->second.info;
    std::set<NodeId> together, standby;
    for (const InstanceView* one : instances_of(context.state(), task)) together.insert(one->node);
    for (const InstanceView* one : standbys_of(context.state(), task))
        if (stands_by(*one)) standby.insert(one->node);
    const auto takes = [&](const NodeInfo& node) {
        const bool other_store = !node.blob_endpoint.empty() && node.blob_endpoint != source.blob_endpoint;
        return other_store && (node.secure || !source.secure) && context.sessions().of(node.id) &&
               !without.contains(node.id);
    };
    // A lower rank is better. Names that sort after the own node's name rank before all other names.
    const auto rank = [&](const NodeInfo& node) {
        return std::make_tuple(nodes.at(node.id).draining, node.host == source.host, !standby.contains(node.id),
                               !together.contains(node.id), node.mic == source.mic, node.id < own, node.id);
    };
    std::optional<NodeId> best;
    for (const auto& [id, view] : nodes)
        if (takes(view.info) && (!best || rank(view.info) < rank(nodes.at(*best).info))) best = id;
    return best;
}

}  // namespace divisi::control::inline change
