// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/control/protocol/plan_summary.h"
#include "backend/control/state/pools.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline placement {

/// What a node is in use for.
struct NodeLoad {
    std::int32_t tasks = 0;      ///< that run there, or will next
    std::int32_t awaited = 0;    ///< queued tasks that wait for it with their files on it
    std::int32_t instances = 0;  ///< of those that run
    double threads = 0;          ///< of these instances
    Bytes memory = 0;            ///< that these instances take, as estimated
    bool exclusive = false;      ///< one of the tasks has it for itself
};

/// What a host said of itself last.
struct HostReport {
    double load = 0;  ///< threads that compute, of whatever program
    Bytes memory_free = 0;
};

/// What a functional module advises of a node.
struct NodeAdvice {
    bool drain = false;  ///< nothing is placed there; else only where no other has room
    std::string module;
    std::set<TaskId> without;  ///< tasks for which the module is off
};

/// What nodes and hosts are in use for.
struct NodeUse {
    std::map<NodeId, NodeLoad> nodes;
    std::map<std::string, double> threads;      ///< of running instances, by host
    std::map<std::string, HostReport> reports;  ///< by host
    std::map<NodeId, NodeAdvice> advised;
};

/// What a cluster's state tells of it: the instances of tasks that are not over, and the queued tasks whose files bind
/// them to nodes.
NodeUse use_of(const ClusterState& state);

/// Hosts that report less do not get an instance while others can.
inline constexpr Bytes scarce_memory = Bytes{512} << 20;
/// What an instance takes before its model is there.
inline constexpr Bytes process_memory = Bytes{256} << 20;

/// For whom nodes are looked for, and when.
struct Seeker {
    std::string submitter;
    TaskId task;
    TimePoint now{};
    std::int64_t most_seconds = 0;  ///< that the task may run; 0: as long as it takes

    /// Whether a reservation keeps it off: one for others that is not over, unless the task ends before it begins.
    bool is_kept_off_by(const Reservation& reservation) const;
};

/// The ready nodes of a cluster and what is free on them, while tasks are given some one after the other. The state
/// outlives it.
///
/// A node takes one task at a time. A shared one (pools.h) takes several, as far as the threads of their instances fit
/// its cores, and their memory its own and what its host reports; whoever finds it idle fits.
class Vacancies {
public:
    Vacancies(const ClusterState& state, const NodeUse& use);

    /// One node per instance: stages in order, then the data instances that stand alone. A stage that the task file
    /// does not place gets, of the nodes that it may run on, one with room that has no other stage; of these a
    /// preferred one, then one that no module advises to avoid, then the one with the fewest tasks, whose host has
    /// cores to spare, and memory, with the least that went wrong, on the host with the most free cores and memory;
    /// then by name. Equal states give equal nodes. Stages go round where there are fewer nodes. Fails when none is
    /// ready (unavailable), or a wanted one is not (not_found).
    Result<std::vector<NodeId>> place(const PlanSummary& plan, const Seeker& seeker) const;
    /// The nodes that a task may run on, each once, in the order in which stages take them, at most `most`; none that
    /// is drained.
    std::vector<NodeId> in_turn(const PlanSummary& plan, const Seeker& seeker, std::size_t most) const;

    /// Why a plan cannot start on these nodes now; none where it can.
    std::optional<std::string> obstacle(const std::vector<NodeId>& nodes, const PlanSummary& plan,
                                        const Seeker& seeker);
    /// The reservation that keeps the seeker off one of them; null where none does.
    const Reservation* kept_off(const std::vector<NodeId>& nodes, const Seeker& seeker) const;
    /// From now on they are a task's: at once, or when it can start.
    void take(const std::vector<NodeId>& nodes, const PlanSummary& plan);
    /// No node has room for anything.
    bool full() const { return open_ == 0; }
    /// Whether an obstacle was memory that a host does not report as free.
    bool waits_for_memory() const { return waits_for_memory_; }

    /// A ready node as it stands, free figures those of its host.
    std::optional<NodeStanding> standing(const NodeId& node) const;
    /// As if no module had advised anything.
    void ignore_advice();

private:
    struct Host {
        double cores = 0;    ///< 0: nobody told
        double threads = 0;  ///< of instances
        std::optional<HostReport> report;
        double busy() const { return report ? std::max(report->load, threads) : threads; }
    };
    struct Place {
        const NodeView* node;
        NodeLoad load;
        Sharing sharing;
        double cores = 0;  ///< 0: nobody told
        Bytes memory = 0;  ///< likewise
        std::size_t host = 0;
        int faults = 0;  ///< in coarse steps
        std::vector<const Reservation*> reservations;
        std::optional<NodeAdvice> advice = std::nullopt;
    };
    struct Turn;

    Place* find(const NodeId& node);
    const Place* find(const NodeId& node) const;
    Result<NodeId> named(const std::string& name, const char* key) const;
    Bytes memory_free(const Place& place) const;
    static bool is_open(const Place& place);
    bool is_kept_off(const Place& place, const Seeker& seeker) const;
    /// What keeps so many instances of the plan from the place, reservations apart; null where nothing does.
    const char* lack(const Place& place, const PlanSummary& plan, const Seeker& seeker, std::int32_t instances) const;
    /// The same without what its host reports, and what modules advise.
    static const char* lack_of_its_own(const Place& place, const PlanSummary& plan, std::int32_t instances);

    const ClusterState& state_;
    std::vector<Place> places_;  ///< by name
    std::vector<Host> hosts_;
    std::size_t open_ = 0;
    bool waits_for_memory_ = false;
};

/// Where a plan would be placed by what the state alone tells. Fails as Vacancies::place().
Result<std::vector<NodeId>> place_plan(const ClusterState& state, const PlanSummary& plan);

/// What the host of a node that joins is called: by its name, unless a node of another machine that is there has that
/// name; then with the beginning of its machine's identity. Nodes of one machine get one name.
std::string host_label(const ClusterState& state, const NodeInfo& node);

}  // namespace divisi::control::inline placement
