// SPDX-License-Identifier: Apache-2.0
#include "backend/control/core/node_loss.h"

#include <algorithm>

namespace divisi::control::inline core {
namespace {

/// Returns whether the process has a role in the current plan. The orchestrator does not wait for other processes.
bool is_missed(const InstanceView& instance, const TaskView& task) {
    return instance.stage != standby_stage && task.runs() && !task.ending && instance.generation == task.generation &&
           !instance.retired && instance.state < InstanceState::finished;
}

}  // namespace

std::optional<NodeLoss> certain_loss(const NodeId& node, const ClusterState& state, const Sessions& sessions) {
    const auto away = sessions.nodes_away().find(node);
    if (away == sessions.nodes_away().end() || !away->second.death) return std::nullopt;
    if (away->second.death->hardly_known) return std::nullopt;
    TimePoint from = away->second.death->from;
    std::size_t closed = 0, new_ones = 0;
    for (const auto& [id, one] : state.instances) {
        if (one.node != node || one.exited) continue;
        if (sessions.of(id)) return std::nullopt;
        const auto found = state.tasks.find(one.task);
        if (found == state.tasks.end() || !is_missed(one, found->second)) continue;
        if (found->second.answer != task::FaultAnswer::recover) return std::nullopt;
        if (!one.joined) continue;  // the instance has not registered yet
        const auto its = sessions.instances_away().find(id);
        if (its == sessions.instances_away().end() || !its->second.death) return std::nullopt;
        // steps continue without the instance
        const bool spared = one.stage == dealt_stage || one.stage == standby_stage;
        if (!spared && found->second.step > its->second.step + steps_under_way) return std::nullopt;
        from = std::max(from, its->second.death->from);
        ++closed;
        new_ones += its->second.death->hardly_known ? 1 : 0;
    }
    if (closed == 0) return std::nullopt;
    std::string those = closed == 1 ? "the connection of its instance"
                                    : "the connections of its " + std::to_string(closed) + " instances";
    if (new_ones > 0) those += closed == 1 ? ", which just joined" : ", " + std::to_string(new_ones) + " just joined";
    return NodeLoss{from,
                    "its connection closed between regular heartbeats, as did " + those + ", and none has returned"};
}

}  // namespace divisi::control::inline core
