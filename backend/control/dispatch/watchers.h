// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "backend/control/core/desk.h"
#include "backend/control/runs/runs.h"

namespace divisi::control::inline dispatch {

/// Those who watch the cluster: a snapshot in pages, then events and loads as they come.
class Watchers {
public:
    Watchers(Desk& desk, const Runs& runs) : desk_(desk), runs_(runs) {}

    /// One page holds most clusters. Pages of a larger one are all of one moment, and are kept until they are fetched.
    void handle(const Received& received, const Subscribe& message);
    void handle(const Received& received, const FetchSnapshotPage& message);
    void push(const std::vector<InstanceLoad>& loads);
    /// The node has said what its machine does: Desk::machines() has it.
    void reported(const NodeId& node) { reported_.insert(node); }
    /// Once in node_push_interval: the last that each node said which reported since. Nodes that are gone are left out.
    void push_nodes();
    /// In as many messages as it takes.
    void push(const std::vector<Event>& events);
    void forget(PeerId peer) { open_.erase(peer); }

private:
    Desk& desk_;
    const Runs& runs_;
    std::map<PeerId, std::vector<Snapshot>> open_;  ///< of who has not fetched them all
    std::set<NodeId> reported_;                     ///< since the last push
    std::optional<TimePoint> pushed_;
};

}  // namespace divisi::control::inline dispatch
