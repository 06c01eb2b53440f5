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
    std::int32_t tasks = 0;      ///< tasks that run on the node or will start there next
    std::int32_t awaited = 0;    ///< queued tasks that wait for this node because it holds the tasks' files
    std::int32_t instances = 0;  ///< instances of the running tasks
    double threads = 0;          ///< threads of these instances
    Bytes memory = 0;            ///< estimated memory of these instances
    bool exclusive = false;      ///< whether one of the tasks uses the node exclusively
};

/// The latest report of a host.
struct HostReport {
    double load = 0;  ///< computing threads of all programs
    Bytes memory_free = 0;
};

/// The advice of a functional module about a node.
struct NodeAdvice {
    bool drain = false;  ///< true: place nothing on the node; false: only if no other node has room
    std::string module;
    std::set<TaskId> without;  ///< tasks for which the module is off
};

/// The load on all nodes and hosts.
struct NodeUse {
    std::map<NodeId, NodeLoad> nodes;
    std::map<std::string, double> threads;      ///< threads of running instances, by host
    std::map<std::string, HostReport> reports;  ///< latest report of each host
    std::map<NodeId, NodeAdvice> advised;
};

/// Returns the load that follows from the cluster state: the instances of tasks that have not ended, and the queued
/// tasks whose files bind them to nodes.
NodeUse use_of(const ClusterState& state);

/// Free memory below which a host gets no instance while another host can take it.
inline constexpr Bytes scarce_memory = Bytes{512} << 20;
/// Memory of an instance before its model is loaded.
inline constexpr Bytes process_memory = Bytes{256} << 20;

/// The task to place, and the time of the search.
struct PlacementRequest {
    std::string submitter;
    TaskId task;
    TimePoint now{};
    std::int64_t most_seconds = 0;  ///< time limit of the task; 0: none

    /// Returns whether a reservation blocks the task: the reservation belongs to another submitter or task, has not
    /// ended, and begins before the task ends.
    bool is_blocked_by(const Reservation& reservation) const;
};

/// Tracks the free capacity of a cluster's ready nodes while tasks are placed one after the other. `state` must outlive
/// this object.
///
/// A node that is not shared takes one task at a time. A shared node (pools.h) takes several instances. Their threads
/// must fit its cores, and their memory the free memory of the node and of its host. An idle node always has room.
class Vacancies {
public:
    Vacancies(const ClusterState& state, const NodeUse& use);

    /// Places a plan with one node per instance: stages in order, then the separate data instances. The same state and
    /// request always give the same nodes. If there are fewer nodes than stages, the stages cycle through the nodes.
    /// A stage whose node the task file does not name gets the best of its possible nodes. The order of preference is:
    /// 1. the node has room,
    /// 2. the node has the fewest instances of this plan,
    /// 3. the task prefers the node,
    /// 4. no module advises to avoid the node,
    /// 5. the fewest tasks run on the node or wait for it,
    /// 6. the node's host has spare cores, and then enough memory,
    /// 7. the node has the fewest past faults,
    /// 8. the node's host has the most free cores, then memory,
    /// 9. the node's name sorts first.
    ///
    /// Fails with `unavailable` if no node that the task may use is ready, and with `not_found` if a named node is not.
    Result<std::vector<NodeId>> place(const PlanSummary& plan, const PlacementRequest& request) const;
    /// Returns at most `most` nodes that a task may run on, without duplicates and without drained nodes, in the order
    /// in which stages take them.
    std::vector<NodeId> in_turn(const PlanSummary& plan, const PlacementRequest& request, std::size_t most) const;

    /// Returns why a plan cannot start on these nodes now; none if the plan can start.
    std::optional<std::string> obstacle(const std::vector<NodeId>& nodes, const PlanSummary& plan,
                                        const PlacementRequest& request);
    /// Returns the reservation that blocks the task from one of the nodes; null if none does.
    const Reservation* blocking_reservation(const std::vector<NodeId>& nodes, const PlacementRequest& request) const;
    /// Assigns the nodes to a task that starts now or as soon as possible.
    void take(const std::vector<NodeId>& nodes, const PlanSummary& plan);
    /// Returns whether no node has any room.
    bool full() const { return open_ == 0; }
    /// Returns whether an obstacle was a lack of memory on a host, according to the estimate or to the host's report.
    bool waits_for_memory() const { return waits_for_memory_; }

    /// Returns the current state of a ready node, with its host's free cores and memory; none if the node is not ready.
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
        int faults = 0;  ///< fault level as returned by fault_level()
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
    /// Returns why the place cannot take `instances` of the plan, ignoring reservations; null if it can.
    const char* shortage(const Place& place, const PlanSummary& plan, const PlacementRequest& request,
                         std::int32_t instances) const;
    /// Returns why the place cannot take `instances` of the plan, ignoring reservations, host reports and module
    /// advice; null if it can.
    static const char* own_shortage(const Place& place, const PlanSummary& plan, std::int32_t instances);

    const ClusterState& state_;
    std::vector<Place> places_;  ///< places sorted by name
    std::vector<Host> hosts_;
    std::size_t open_ = 0;
    bool waits_for_memory_ = false;
};

/// Returns the nodes on which a plan would be placed, based only on the state. Fails as Vacancies::place() does.
Result<std::vector<NodeId>> place_plan(const ClusterState& state, const PlanSummary& plan);

/// Returns the host label of a joining node. The label is the host name, unless a present node of another machine uses
/// that name. In that case the beginning of the machine's identity is appended. All nodes of a machine get the same
/// label.
std::string host_label(const ClusterState& state, const NodeInfo& node);

}  // namespace divisi::control::inline placement
