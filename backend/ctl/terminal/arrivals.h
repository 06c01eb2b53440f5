// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backend/control/protocol/message_fwd.h"
#include "backend/control/state/state.h"

namespace divisi::ctl {

/// Tracks which nodes, gateways and routers of a starting cluster have joined, from snapshots and events.
class Arrivals {
public:
    void look_at(const control::ClusterState& state);
    /// Updates the record from a snapshot or from events; ignores every other message.
    void take(const control::Message& message);

    /// Returns the number of nodes that have been ready.
    std::size_t nodes() const { return nodes_.size(); }
    /// Returns the names in `devices` (gateways and routers) that have not joined the mesh, in the order given.
    std::vector<std::string> missing(const std::vector<std::string>& devices) const;

private:
    std::set<NodeId> nodes_;
    std::set<std::string> devices_;
};

/// Time that a start waits for gateways and routers after the nodes are ready. They usually join at about the same time
/// as the nodes.
inline constexpr Duration device_patience = std::chrono::seconds(2);

/// Returns the warning to print after the wait: "sr-1 has not registered within 2 s: plans use no path through it until
/// it has".
std::string not_registered(const std::vector<std::string>& missing);

}  // namespace divisi::ctl
