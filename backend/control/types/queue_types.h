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

// What the queue and placement of tasks are told, remember and tell. Nodes are written MIC/NODE, or as the beginning of
// one and a star. A submitter is who the orchestrator knows to be at the other end of a connection: the name that its
// key was allowed with, on ipc "uid:1000"; never what a client calls itself.

/// Nodes by a name that tasks may ask for, as the cluster file has it.
struct Pool {
    std::string name;
    std::string type;                ///< of a device; empty: any
    std::vector<std::string> nodes;  ///< empty: any
    bool shared = false;             ///< a node takes several tasks at once, as its cores and memory allow
    std::int32_t instances = 0;      ///< on each node at most; 0: no further bound
};

/// Whose turn it is among the tasks that wait.
enum class Discipline : std::uint8_t {
    priority = 0,  ///< the highest priority, then as they came
    fcfs = 1,      ///< as they came
    share = 2,     ///< the submitter that is furthest behind its share of node-seconds, then as with priority
};

struct ShareWeight {
    std::string submitter;
    double weight = 1;
};

struct QueueRules {
    Discipline discipline = Discipline::priority;
    std::vector<ShareWeight> weights;  ///< who is not named has 1

    double weight_of(const std::string& submitter) const {
        for (const ShareWeight& one : weights)
            if (one.submitter == submitter) return one.weight;
        return 1;
    }
};

/// What a submitter has had of the cluster.
struct SubmitterView {
    std::string name;
    double virtual_time = 0;  ///< node-seconds over weight of its ended tasks; moved on when it comes after a pause
    double node_seconds = 0;  ///< of its ended tasks
    double task_s = 0;        ///< how long its tasks take, later ones counting more
};

/// What went wrong on a node, as far as it is remembered.
struct NodeFaults {
    double score = 0;  ///< at that time; half of it a fault_half_life later
    TimePoint at{};
    std::uint32_t losses = 0;    ///< it vanished
    std::uint32_t failures = 0;  ///< an instance on it failed
};

/// Nodes that are kept for somebody for a time.
struct Reservation {
    std::uint64_t number = 0;
    std::string pool;                ///< empty: any
    std::vector<std::string> nodes;  ///< empty: all of the pool
    std::string submitter;           ///< for whose tasks; empty: for that task
    TaskId task;
    TimePoint from{}, until{};
    std::string by;  ///< the submitter who made it
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
/// From operators: keep nodes from others. Answered by Reserved.
struct Reserve {
    Reservation wanted;        ///< number, until and by are the orchestrator's to fill in; without from: from now on
    std::int64_t seconds = 0;  ///< for so long
};
struct Reserved {
    std::uint64_t number = 0;
};
/// From operators. Answered by Done.
struct CancelReservation {
    std::uint64_t number = 0;
};
/// From clients. Answered by NodesState.
struct QueryNodes {};
/// A node as placement sees it now.
struct NodeStanding {
    NodeId node;
    std::int32_t tasks = 0, instances = 0;
    double cores_free = 0;  ///< of its host, by what it reports and by what is placed there
    Bytes memory_free = 0;  ///< of its host, as it reported last
    bool shared = false;
    bool exclusive = false;  ///< a task has it for itself
    double faults = 0;       ///< NodeFaults::score now
    MachineFigures machine = {};
};
/// A submitter's standing: what it has had, with what runs.
struct SubmitterStanding {
    std::string name;
    double weight = 1;
    double node_seconds = 0;
    double virtual_time = 0;
};
/// Why a task that waits does not start.
struct WaitingTask {
    TaskId task;
    std::string why;
};
struct NodesState {
    std::vector<NodeStanding> nodes;
    std::vector<SubmitterStanding> submitters;
    std::vector<WaitingTask> waiting;  ///< in turn
};

const char* to_string(Discipline discipline);

}  // namespace divisi::control::inline types
