// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "backend/control/desk.h"
#include "backend/control/runs.h"

namespace divisi::control {

/// Those who watch the cluster: a snapshot in pages, then events and loads as they come.
class Watchers {
public:
    Watchers(Desk& desk, const Runs& runs) : desk_(desk), runs_(runs) {}

    /// One page holds most clusters. Pages of a larger one are all of one moment, and are kept until they are fetched.
    void handle(const Received& received, const Subscribe& message);
    void handle(const Received& received, const FetchSnapshotPage& message);
    void push(const std::vector<InstanceLoad>& loads);
    /// In as many messages as it takes.
    void push(const std::vector<Event>& events);
    void forget(PeerId peer) { open_.erase(peer); }

private:
    Desk& desk_;
    const Runs& runs_;
    std::map<PeerId, std::vector<Snapshot>> open_;  ///< of who has not fetched them all
};

}  // namespace divisi::control
