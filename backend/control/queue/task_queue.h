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

/// The queue: takes submissions in, has them planned, and says which task starts where. A task starts when all of its
/// nodes are free, so that either all of its instances start or none does.
class TaskQueue {
public:
    /// A task that starts now.
    struct Start {
        TaskId task;
        PlanSummary plan;
        std::vector<NodeId> nodes;  ///< of its stages, then of data units of their own
        std::string advised;        ///< what modules' advice changed of these; empty: nothing
    };

    TaskQueue(Desk& desk, Deliveries& deliveries, Models& models, const KeptProcesses& kept)
        : desk_(desk), deliveries_(deliveries), models_(models), kept_(kept) {}

    /// Takes the place in the queue now; the task is queued when it is planned.
    void handle(const Received& received, const SubmitTask& message);
    void handle(const Received& received, const ReleaseTask& message);
    /// Likewise for the task of an exception, which is closed once the new one is queued. Its files are on nodes.
    void submit_again(const Received& received, const SubmitTask& message, std::uint64_t exception);
    void handle(const Received& received, const QueryNodes& message);
    /// What came of planning: of a submission, or of a task that was queued before a restart.
    void planned(const JobBook::Asked& asked, const Result<PlanSummary>& plan);
    /// The tasks that start now, in the order of the queue (turns.h). The first that cannot start holds back those
    /// behind it only on the nodes that it needs.
    std::vector<Start> admit();
    /// Whether something happened since the last admit() that may let a task start.
    bool changed() const { return changed_; }
    /// A time has come that may let a task start.
    void look_again() { changed_ = true; }
    /// What a node says of its host.
    void reported(const NodeId& node, const HostReport& report);
    /// What functional modules advise of nodes, from now on.
    void advise(std::map<NodeId, NodeAdvice> nodes);
    /// Whether a task waits for its nodes, and nobody holds it.
    bool anybody_waits() const;
    /// What nodes and hosts are in use for.
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
                                      const Seeker& seeker) const;
    std::vector<NodeId> place_with_group(const TaskView& task, const PlanSummary& plan, Vacancies free,
                                         const Seeker& seeker) const;
    std::string spared(const std::vector<NodeId>& nodes, const TaskView& task, const PlanSummary& plan, Vacancies free,
                       const Seeker& seeker) const;
    Result<void> check_placement(const PlanSummary& plan) const;
    Result<void> check_parent(const PlanSummary& plan, std::uint64_t exception) const;
    std::string until(const TaskView& task) const;
    std::string in_group(const TaskView& task) const;

    Desk& desk_;
    Deliveries& deliveries_;
    Models& models_;
    const KeptProcesses& kept_;
    std::map<TaskId, PlanSummary> plans_;  ///< of queued tasks; after a restart each is planned when its turn comes
    std::map<std::string, HostReport> reports_;  ///< by host, the last of any of its nodes
    std::map<TaskId, std::string> waiting_for_;  ///< as of the last admit()
    std::map<NodeId, NodeAdvice> advised_;       ///< by functional modules
    std::map<TaskId, std::pair<std::vector<NodeId>, std::int64_t>> waiting_on_;  ///< nodes, and its most seconds
    bool full_ = false;                                                          ///< no node had room then
    /// What hosts reported then, if a task waits for their memory; else empty.
    std::map<std::string, HostReport> waits_for_memory_;
    bool changed_ = false;
};

}  // namespace divisi::control::inline queue
