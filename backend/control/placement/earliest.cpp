// SPDX-License-Identifier: Apache-2.0
#include "backend/control/placement/earliest.h"

#include <algorithm>

namespace divisi::control::inline placement {

std::optional<TimePoint> free_at_latest(const ClusterState& state, const std::vector<NodeId>& nodes,
                                        const PlacementRequest& request) {
    TimePoint latest = request.now;
    for (const NodeId& id : nodes) {
        const auto node = state.nodes.find(id);
        if (node == state.nodes.end() || node->second.state != NodeState::ready) return std::nullopt;
        for (const auto& [number, reservation] : state.reservations)
            if (is_reserved(state, reservation, node->second.info) && request.is_blocked_by(reservation))
                latest = std::max(latest, reservation.until);
    }
    for (const auto& [id, instance] : state.instances) {
        const auto task = state.tasks.find(instance.task);
        const bool there = std::find(nodes.begin(), nodes.end(), instance.node) != nodes.end();
        if (!there || instance.exited || task == state.tasks.end() || !task->second.runs()) continue;
        if (task->second.most_seconds == 0) return std::nullopt;
        latest = std::max(latest, task->second.placed + std::chrono::seconds(task->second.most_seconds));
    }
    return latest;
}

}  // namespace divisi::control::inline placement
