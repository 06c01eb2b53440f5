// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/ids.h"

namespace divisi::control::inline types {

// Faults that an operator injects on purpose, to show how the mesh and the tasks cope with them.

/// A fault of one link of the mesh, in both directions.
struct LinkFault {
    std::string a, b;        ///< names of the devices at the link's ends
    bool cut = false;        ///< nothing arrives over the link
    double bytes_per_s = 0;  ///< limit for chunks, each way; 0: unlimited
    double delay_s = 0;      ///< added delay for all traffic, each way
    bool operator==(const LinkFault&) const = default;
};

/// The same fault as seen by one of the two devices. Neighbours without an entry have no fault.
struct NeighbourFault {
    std::uint32_t id = 0;  ///< the neighbour's routing identifier
    bool cut = false;
    double bytes_per_s = 0;
    double delay_s = 0;
    bool operator==(const NeighbourFault&) const = default;
};

/// Bounds for faults. Below the minimum rate, heartbeats alone would fill the link. Above the maximum delay, every
/// neighbour would count as failed.
inline constexpr double least_fault_bytes_per_s = 1e3, most_fault_bytes_per_s = 1e12, most_fault_delay_s = 10;

/// The longest pause. Longer pauses are pointless: the tasks of a paused instance continue without it much earlier.
inline constexpr double most_pause_s = 60;

// --- messages ----------------------------------------------------------------------------------

/// Sent by operators, if the cluster was started with faults allowed: kills the process that serves this SID. Answered
/// by Done.
struct KillInstance {
    Sid sid;
};
/// Sent by operators, if faults are allowed: kills the agent of this node together with its instances. Answered by
/// Done.
struct KillNode {
    NodeId node;
};
/// Sent by operators, if faults are allowed: pauses the process that serves this SID for a time. Answered by Done.
struct PauseInstance {
    Sid sid;
    double seconds = 0;
};
/// Sent to a node, not answered: kills or pauses the process of an instance. The result is reported as for any other
/// process.
struct FaultInstance {
    InstanceId instance;
    double pause_s = 0;  ///< length of the pause in seconds; 0: the fault kills the process
};

}  // namespace divisi::control::inline types
