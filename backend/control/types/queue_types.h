// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/base/ids.h"
#include "backend/base/units.h"
#include "backend/control/types/machine_types.h"

namespace divisi::control::inline types {

// Types for the settings, records and reports of the task queue and of placement. Nodes are written MIC/NODE, or as the
// beginning of such a name followed by a star. A submitter is the authenticated peer of a connection: the name that its
// key was allowed with, or "uid:1000" on ipc. A submitter is never a name that a client chooses itself.

/// A named set of nodes in the cluster file that tasks may ask for.
struct Pool {
    std::string name;
    std::string type;                ///< type of a device; empty: any
    std::vector<std::string> nodes;  ///< names of nodes; empty: any
    bool shared = false;             ///< a node takes several tasks at once, as its cores and memory allow
    std::int32_t instances = 0;      ///< limit of instances on each node; 0: none
};

/// The order in which queued tasks start.
enum class Discipline : std::uint8_t {
    priority = 0,  ///< highest priority first, then by arrival
    fcfs = 1,      ///< by arrival
    share = 2,     ///< first the submitter furthest below its share of node-seconds, then by priority
};

struct ShareWeight {
    std::string submitter;
    double weight = 1;
};

struct QueueRules {
    Discipline discipline = Discipline::priority;
    std::vector<ShareWeight> weights;  ///< submitters that are not named have weight 1

    double weight_of(const std::string& submitter) const {
        for (const ShareWeight& one : weights)
            if (one.submitter == submitter) return one.weight;
        return 1;
    }
};

/// A submitter's use of the cluster.
struct SubmitterView {
    std::string name;
    double virtual_time = 0;  ///< node-seconds of ended tasks divided by the submitter's weight; raised after a pause
    double node_seconds = 0;  ///< node-seconds used by the submitter's ended tasks
    double task_s = 0;        ///< moving average of the run time of the submitter's tasks
};

/// Recorded faults of a node.
struct NodeFaults {
    double score = 0;  ///< score at the time `at`; halves every fault_half_life
    TimePoint at{};
    std::uint32_t losses = 0;    ///< times the node vanished
    std::uint32_t failures = 0;  ///< number of instances that failed on the node
};

/// Nodes reserved for a submitter or a task for a time.
struct Reservation {
    std::uint64_t number = 0;
    std::string pool;                ///< name of the pool; empty: any
    std::vector<std::string> nodes;  ///< empty: all nodes of the pool
    std::string submitter;           ///< owner of the tasks; empty: only `task`
    TaskId task;
    TimePoint from{}, until{};
    std::string by;  ///< the submitter who made the reservation
};

// --- events ------------------------------------------------------------------------------------
struct ReservationMade {
    Reservation reservation;
};
struct ReservationEnded {
    std::uint64_t number = 0;
    std::string reason;
};

// --- messages ----------------------------------------------------------------------------------
/// Sent by operators to reserve nodes. Answered by Reserved.
struct Reserve {
    Reservation wanted;        ///< the orchestrator sets number, until and by; no `from`: starts now
    std::int64_t seconds = 0;  ///< duration of the reservation
};
struct Reserved {
    std::uint64_t number = 0;
};
/// Sent by operators. Answered by Done.
struct CancelReservation {
    std::uint64_t number = 0;
};
/// Sent by clients. Answered by NodesState.
struct QueryNodes {};
/// The current state of a node as placement sees it.
struct NodeStanding {
    NodeId node;
    std::int32_t tasks = 0, instances = 0;
    double cores_free = 0;  ///< free cores of the node's host, from the host's report and the tasks placed there
    Bytes memory_free = 0;  ///< free memory of the node's host, as last reported
    bool shared = false;
    bool exclusive = false;  ///< whether one task uses the node exclusively
    double faults = 0;       ///< current NodeFaults::score
    MachineFigures machine = {};
};
/// A submitter's use of the cluster, including its running tasks.
struct SubmitterStanding {
    std::string name;
    double weight = 1;
    double node_seconds = 0;
    double virtual_time = 0;
};
/// A queued task and why it does not start.
struct WaitingTask {
    TaskId task;
    std::string why;
};
struct NodesState {
    std::vector<NodeStanding> nodes;
    std::vector<SubmitterStanding> submitters;
    std::vector<WaitingTask> waiting;  ///< waiting tasks in queue order
};

const char* to_string(Discipline discipline);

}  // namespace divisi::control::inline types
