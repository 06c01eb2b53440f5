// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "backend/control/placement/placement.h"
#include "backend/control/protocol/plan_summary.h"
#include "backend/control/queue/deliveries.h"
#include "backend/control/queue/kept_processes.h"
#include "backend/control/queue/models.h"

namespace divisi::control::inline queue {

/// The task queue: accepts submissions, starts jobs that plan them, and decides which task starts on which nodes. A
/// task starts when all its nodes are free, so that either all its instances start or none.
class TaskQueue {
public:
    /// A task that starts now.
    struct Start {
        TaskId task;
        PlanSummary plan;
        std::vector<NodeId> nodes;  ///< nodes of the task's stages, then of separate data units
        std::string advised;        ///< nodes avoided because of modules' advice; empty: none
    };

    TaskQueue(OrchestratorContext& context, Deliveries& deliveries, Models& models, const KeptProcesses& kept)
        : context_(context), deliveries_(deliveries), models_(models), kept_(kept) {}

    /// Reserves a place in the queue; the task is queued once it is planned.
    void handle(const Received& received, const SubmitTask& message);
    void handle(const Received& received, const ReleaseTask& message);
    /// Submits the task of an exception again, like a client's submission. The exception is closed once the new task is
    /// queued. The task's files are already on nodes.
    void submit_again(const Received& received, const SubmitTask& message, std::uint64_t exception);
    void handle(const Received& received, const QueryNodes& message);
    /// Handles the result of planning, for a submission or for a task queued before a restart.
    void planned(const JobBook::Asked& asked, const Result<PlanSummary>& plan);
    /// Returns the tasks that start now, in queue order (fair_share_order.h). While a task cannot start, later tasks
    /// get none of the nodes that it needs, but may start on other nodes.
    std::vector<Start> admit();
    /// Returns whether something has happened since the last admit() that may let a task start.
    bool changed() const { return changed_; }
    /// Records that a task may be able to start because time has passed.
    void look_again() { changed_ = true; }
    /// Records a node's report of its host.
    void reported(const NodeId& node, const HostReport& report);
    /// Sets the functional modules' advice about nodes.
    void advise(std::map<NodeId, NodeAdvice> nodes);
    /// Returns whether a task that is not held waits for its nodes.
    bool anybody_waits() const;
    /// Returns the load on all nodes and hosts.
    NodeUse use() const;
    void follow(const Event& event);

private:
    void take(const Received& received, const SubmitTask& message, std::uint64_t exception);
    void submit(const JobBook::Asked& asked, PlanSummary plan);
    Result<std::vector<NodeId>> nodes_for(const JobBook::Asked& asked, const PlanSummary& plan) const;
    void planned_again(const TaskId& task, const Result<PlanSummary>& plan);
    void plan_again(const TaskView& task);
    bool frees_node(const Event::Body& body) const;
    Vacancies vacancies() const;
    Result<std::vector<NodeId>> place(const TaskView& task, const PlanSummary& plan, const Vacancies& free,
                                      const PlacementRequest& request) const;
    std::vector<NodeId> place_with_group(const TaskView& task, const PlanSummary& plan, Vacancies free,
                                         const PlacementRequest& request) const;
    std::string spared(const std::vector<NodeId>& nodes, const TaskView& task, const PlanSummary& plan, Vacancies free,
                       const PlacementRequest& request) const;
    Result<void> check_placement(const PlanSummary& plan) const;
    Result<void> check_parent(const PlanSummary& plan, std::uint64_t exception) const;
    std::string until(const TaskView& task) const;
    std::string in_group(const TaskView& task) const;

    OrchestratorContext& context_;
    Deliveries& deliveries_;
    Models& models_;
    const KeptProcesses& kept_;
    /// plans of queued tasks; after a restart, each task is planned when its turn comes
    std::map<TaskId, PlanSummary> plans_;
    std::map<std::string, HostReport> reports_;  ///< by host: the latest report of any node of the host
    std::map<TaskId, std::string> waiting_for_;  ///< reasons for waiting at the last admit()
    std::map<NodeId, NodeAdvice> advised_;       ///< advice of functional modules
    /// by task: the nodes that the task waits for, and the time limit of the task
    std::map<TaskId, std::pair<std::vector<NodeId>, std::int64_t>> waiting_on_;
    bool full_ = false;  ///< whether no node had room at the last admit()
    /// The reports of hosts at the last admit(), if a task waits for memory; else empty.
    std::map<std::string, HostReport> waits_for_memory_;
    bool changed_ = false;
};

}  // namespace divisi::control::inline queue
