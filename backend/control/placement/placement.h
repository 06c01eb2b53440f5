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

/// The load on a node.
struct NodeLoad {
    std::int32_t tasks = 0;      ///< tasks that run there, or will next
    std::int32_t awaited = 0;    ///< queued tasks that wait for this node because it holds their files
    std::int32_t instances = 0;  ///< instances of the running tasks
    double threads = 0;          ///< threads of these instances
    Bytes memory = 0;            ///< estimated memory of these instances
    bool exclusive = false;      ///< one of the tasks has the node to itself
};

/// The latest report of a host.
struct HostReport {
    double load = 0;  ///< computing threads of all programs
    Bytes memory_free = 0;
};

/// A functional module's advice about a node.
struct NodeAdvice {
    bool drain = false;  ///< true: place nothing there; false: only if no other node has room
    std::string module;
    std::set<TaskId> without;  ///< tasks for which the module is off
};

/// The load on all nodes and hosts.
struct NodeUse {
    std::map<NodeId, NodeLoad> nodes;
    std::map<std::string, double> threads;      ///< threads of running instances, by host
    std::map<std::string, HostReport> reports;  ///< by host
    std::map<NodeId, NodeAdvice> advised;
};

/// Returns the load that the cluster state implies: the instances of tasks that are not over, and the queued tasks
/// whose files bind them to nodes.
NodeUse use_of(const ClusterState& state);

/// Free memory below which a host gets no instance while another host can take it.
inline constexpr Bytes scarce_memory = Bytes{512} << 20;
/// Memory of an instance before its model is loaded.
inline constexpr Bytes process_memory = Bytes{256} << 20;

/// The task for which nodes are sought, and the time of the search.
struct PlacementRequest {
    std::string submitter;
    TaskId task;
    TimePoint now{};
    std::int64_t most_seconds = 0;  ///< time limit of the task; 0: none

    /// Returns whether a reservation blocks the task. It does if it belongs to others, is not over, and begins before
    /// the task ends.
    bool is_blocked_by(const Reservation& reservation) const;
};

/// Tracks the free capacity of a cluster's ready nodes while tasks are placed one after the other. `state` must outlive
/// this object.
///
/// A node takes one task at a time. A shared node (pools.h) takes several, if their threads fit its cores and their
/// memory fits both its own and what its host reports free. An idle node always fits.
class Vacancies {
public:
    Vacancies(const ClusterState& state, const NodeUse& use);

    /// Places a plan with one node per instance: stages in order, then the separate data instances. Equal states give
    /// equal nodes. If there are fewer nodes than stages, the stages cycle through the nodes.
    ///
    /// A stage that the task file does not place gets the best of the nodes it may run on, compared in this order:
    /// 1. it has room,
    /// 2. it has the fewest instances of this plan,
    /// 3. the task prefers it,
    /// 4. no module advises to avoid it,
    /// 5. it has the fewest tasks,
    /// 6. its host has spare cores, then enough memory,
    /// 7. it has the fewest past faults,
    /// 8. its host has the most free cores, then memory,
    /// 9. its name comes first.
    ///
    /// Fails (unavailable) if no node is ready and (not_found) if a wanted node is not ready.
    Result<std::vector<NodeId>> place(const PlanSummary& plan, const PlacementRequest& request) const;
    /// Returns at most `most` nodes that a task may run on, each once and none drained, in the order in which stages
    /// take them.
    std::vector<NodeId> in_turn(const PlanSummary& plan, const PlacementRequest& request, std::size_t most) const;

    /// Returns why a plan cannot start on these nodes now; none if it can.
    std::optional<std::string> obstacle(const std::vector<NodeId>& nodes, const PlanSummary& plan,
                                        const PlacementRequest& request);
    /// Returns the reservation that blocks the task from one of the nodes; null if none does.
    const Reservation* blocking_reservation(const std::vector<NodeId>& nodes, const PlacementRequest& request) const;
    /// Assigns the nodes to a task that starts at once or as soon as it can.
    void take(const std::vector<NodeId>& nodes, const PlanSummary& plan);
    /// Returns whether no node has any room.
    bool full() const { return open_ == 0; }
    /// Returns whether an obstacle was a lack of memory on a host, by estimate or by its report.
    bool waits_for_memory() const { return waits_for_memory_; }

    /// Returns the standing of a ready node, with its host's free figures; none if the node is not ready.
    std::optional<NodeStanding> standing(const NodeId& node) const;
    /// Removes all advice of modules.
    void ignore_advice();

private:
    struct Host {
        double cores = 0;    ///< 0: unknown
        double threads = 0;  ///< threads of instances
        std::optional<HostReport> report;
        double busy() const { return report ? std::max(report->load, threads) : threads; }
    };
    struct Place {
        const NodeView* node;
        NodeLoad load;
        Sharing sharing;
        double cores = 0;  ///< 0: unknown
        Bytes memory = 0;  ///< 0: unknown
        std::size_t host = 0;
        int faults = 0;  ///< as fault_level() returns it
        std::vector<const Reservation*> reservations;
        std::optional<NodeAdvice> advice = std::nullopt;
    };
    struct StagePlacer;

    Place* find(const NodeId& node);
    const Place* find(const NodeId& node) const;
    Result<NodeId> named(const std::string& name, const char* key) const;
    Bytes memory_free(const Place& place) const;
    static bool is_open(const Place& place);
    bool is_blocked_by_reservation(const Place& place, const PlacementRequest& request) const;
    /// Returns what prevents the place from taking `instances` of the plan, ignoring reservations; null if nothing
    /// does.
    const char* shortage(const Place& place, const PlanSummary& plan, const PlacementRequest& request,
                         std::int32_t instances) const;
    /// Returns what prevents the place from taking `instances` of the plan, ignoring host reports and module advice;
    /// null if nothing does.
    static const char* own_shortage(const Place& place, const PlanSummary& plan, std::int32_t instances);

    const ClusterState& state_;
    std::vector<Place> places_;  ///< sorted by name
    std::vector<Host> hosts_;
    std::size_t open_ = 0;
    bool waits_for_memory_ = false;
};

/// Returns where a plan would be placed, judged only by the state. Fails as Vacancies::place().
Result<std::vector<NodeId>> place_plan(const ClusterState& state, const PlanSummary& plan);

/// Returns the host label of a joining node. This is its host name, unless a present node of another machine uses that
/// name. In that case the beginning of its machine identity is appended. All nodes of a machine get the same label.
std::string host_label(const ClusterState& state, const NodeInfo& node);

}  // namespace divisi::control::inline placement
