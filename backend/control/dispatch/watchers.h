// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/protocol/state_messages.h"
#include "backend/control/runs/task_reports.h"

namespace divisi::control::inline dispatch {

/// Serves the clients that watch the cluster: a snapshot in pages, then events and loads as they arrive.
class Watchers {
public:
    Watchers(OrchestratorContext& context, const TaskReports& reports) : context_(context), reports_(reports) {}

    /// Answers with the first page of a snapshot; most clusters fit on one page. All pages of a larger snapshot show
    /// the state at the time of this call, and are kept until the client has fetched them.
    void handle(const Received& received, const Subscribe& message);
    void handle(const Received& received, const FetchSnapshotPage& message);
    void push(const std::vector<InstanceLoad>& loads);
    /// Notes that the node has reported its machine figures to OrchestratorContext::machines().
    void reported(const NodeId& node) { reported_.insert(node); }
    /// Sends the latest figures of the nodes that have reported since the last such message, at most once in each
    /// node_push_interval. Leaves out nodes that are gone.
    void push_nodes();
    /// Sends the events to all subscribers, in as many messages as needed.
    void push(const std::vector<Event>& events);
    void forget(PeerId peer) { open_.erase(peer); }

private:
    OrchestratorContext& context_;
    const TaskReports& reports_;
    std::map<PeerId, std::vector<Snapshot>> open_;  ///< snapshots for clients that have not fetched all pages
    std::set<NodeId> reported_;                     ///< nodes that reported since the last push
    std::optional<TimePoint> pushed_;
};

}  // namespace divisi::control::inline dispatch
