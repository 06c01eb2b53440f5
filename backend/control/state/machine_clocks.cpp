// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/machine_clocks.h"

namespace divisi::control::inline state {

Duration MachineClocks::offset(const std::string& machine, TimePoint sent, TimePoint now) {
    const auto [clock, added] = clocks_.try_emplace(machine);
    const Duration offset = clock->second.take(sent, now);
    if (added)
        std::erase_if(clocks_, [&](const auto& one) { return now - one.second.began() > 4 * ClockOffset::period; });
    return offset;
}

TimePoint MachineClocks::moment(const std::string& machine, TimePoint measured, TimePoint now) {
    if (measured <= TimePoint{} || measured > TimePoint(ClockOffset::most)) return now;
    return measured + offset(machine, measured, now);
}

std::string clock_of(const ClusterState& state, const NodeId& node) {
    const auto found = state.nodes.find(node);
    if (found == state.nodes.end()) return node.value();
    const NodeInfo& info = found->second.info;
    if (!info.machine.empty()) return info.machine;
    return info.host.empty() ? node.value() : info.host;
}

}  // namespace divisi::control::inline state
