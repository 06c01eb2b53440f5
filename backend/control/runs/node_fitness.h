// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::inline runs {

/// Records which nodes a running task can use, based on the task's faults on each node. Forgets the faults of a node
/// that joins again. A restarted orchestrator also starts without them.
class NodeFitness {
public:
    explicit NodeFitness(const OrchestratorContext& context) : context_(context) {}

    /// Returns whether the node is connected and no fault made it unfit for the task.
    bool is_fit(const TaskId& task, const NodeId& node) const;
    /// Returns whether stages should avoid the node.
    bool is_unfit(const TaskId& task, const NodeId& node) const;
    /// Returns the nodes that a fault made unfit for the task, until they join again.
    std::set<NodeId> unfit_nodes(const TaskId& task) const;
    /// Returns whether a SID may start on the node once the node is connected.
    bool may_play(const TaskId& task, const NodeId& node, const Sid& sid) const;
    /// Returns whether a SID can start on the node now, even if other SIDs died on the node too often.
    bool can_play(const TaskId& task, const NodeId& node, const Sid& sid) const;
    /// Returns whether the node has all these snapshots and has lost none of them.
    bool has_snapshots(const TaskId& task, const NodeId& node, const std::vector<const SegmentSnapshot*>& parts) const;
    /// Returns the nodes on which instances are placed that cannot start now.
    std::set<NodeId> awaited_nodes(const TaskId& task) const;
    /// Returns an error if a stage of the task's next plan must not run on a node because the stage failed on that node
    /// too often. Otherwise returns none.
    std::optional<Error> exhaustion_error(const TaskId& task, std::int32_t stage, const NodeId& node) const;

    /// Counts a fault of the SID on the node.
    void count_fault(const TaskId& task, const NodeId& node, const Sid& sid) { ++books_[task].faults_on[node][sid]; }
    /// Excludes the SID from the node, where it used up its retry budget.
    void exhaust(const TaskId& task, const NodeId& node, const Sid& sid) { books_[task].exhausted[node].insert(sid); }
    /// Marks a node as unfit because its agent could not start an instance, or ends.
    void mark_unfit(const TaskId& task, const NodeId& node) { books_[task].unfit.insert(node); }
    /// Clears the unfit mark of connected nodes in `awaited`, so that these nodes are asked again. Returns the number
    /// of cleared marks.
    std::size_t ask_again(const TaskId& task, const std::set<NodeId>& awaited);
    /// Marks a snapshot as damaged or missing on the node.
    void lose_snapshot(const TaskId& task, const NodeId& node, const std::string& hash);
    void node_joined(const NodeId& node);
    void follow(const Event& event);

private:
    /// The faults of one task.
    struct Book {
        std::set<NodeId> unfit;
        std::map<NodeId, std::set<Sid>> exhausted;
        std::map<NodeId, std::map<Sid, std::size_t>> faults_on;
        std::set<std::pair<NodeId, std::string>> lost;  ///< lost snapshots, by hash
    };

    /// Returns the book of a task; null if the task had no fault.
    const Book* book_of(const TaskId& task) const;

    const OrchestratorContext& context_;
    std::map<TaskId, Book> books_;
};

}  // namespace divisi::control::inline runs
