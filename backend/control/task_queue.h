// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "backend/control/deliveries.h"
#include "backend/control/models.h"
#include "backend/control/placement.h"
#include "backend/control/plan_summary.h"

namespace divisi::control {

/// The queue: takes submissions in, has them planned, and says which task starts where. A task starts when all of its
/// nodes are free, so that either all of its instances start or none does.
class TaskQueue {
public:
    /// A task that starts now.
    struct Start {
        TaskId task;
        PlanSummary plan;
        std::vector<NodeId> nodes;  ///< of its stages, then of data units of their own
    };

    TaskQueue(Desk& desk, Deliveries& deliveries, Models& models)
        : desk_(desk), deliveries_(deliveries), models_(models) {}

    /// Takes the place in the queue now; the task is queued when it is planned.
    void handle(const Received& received, const SubmitTask& message);
    void handle(const Received& received, const ReleaseTask& message);
    /// What came of planning: of a submission, or of a task that was queued before a restart.
    void planned(const JobBook::Asked& asked, const Result<PlanSummary>& plan);
    /// The tasks that start now, in the order of the queue. The first that cannot start holds back those behind it
    /// only on the nodes that it needs.
    std::vector<Start> admit();
    /// Whether something happened since the last admit() that may let a task start.
    bool changed() const { return changed_; }
    /// What a node has left, as it reports.
    void set_memory_free(const NodeId& node, Bytes free) { memory_free_[node] = free; }
    void follow(const Event& event);

private:
    void submit(const JobBook::Asked& asked, PlanSummary plan);
    void planned_again(const TaskId& task, const Result<PlanSummary>& plan);
    void plan_again(const TaskView& task);
    /// Highest priority first, then first come first served.
    std::vector<const TaskView*> in_turn() const;
    /// What runs, and the queued tasks whose files bind them to nodes.
    NodeUse node_use() const;
    Result<std::vector<NodeId>> place(const TaskView& task, const PlanSummary& plan, const NodeUse& use) const;

    Desk& desk_;
    Deliveries& deliveries_;
    Models& models_;
    std::map<TaskId, PlanSummary> plans_;  ///< of queued tasks; after a restart each is planned when its turn comes
    std::map<NodeId, Bytes> memory_free_;
    bool changed_ = false;
};

}  // namespace divisi::control
