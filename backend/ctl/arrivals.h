// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::ctl {

/// Which programs of a cluster have come, as snapshots and events tell: what a start waits for.
class Arrivals {
public:
    void look_at(const control::ClusterState& state);
    /// Messages that are neither a snapshot nor events change nothing.
    void take(const control::Message& message);

    /// Nodes that were ready.
    std::size_t nodes() const { return nodes_.size(); }
    /// Those of `devices`, gateways and routers by name, that are not in the mesh; in the same order.
    std::vector<std::string> missing(const std::vector<std::string>& devices) const;

private:
    std::set<NodeId> nodes_;
    std::set<std::string> devices_;
};

/// How long a start waits for gateways and routers once the nodes are there. Usually they come along with them.
inline constexpr Duration device_patience = std::chrono::seconds(2);

/// What is told when that is over: "sr-1 has not registered within 2 s: plans know no path through it until it has".
std::string not_registered(const std::vector<std::string>& missing);

}  // namespace divisi::ctl
