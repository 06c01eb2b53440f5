// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/ids.h"

namespace divisi::control::inline types {

// Faults that a demonstrator makes on purpose (fault injection), to show how the mesh and the tasks live with them.

/// What was made of one link of the mesh, in both directions.
struct LinkFault {
    std::string a, b;        ///< the devices at its ends, by name
    bool cut = false;        ///< nothing arrives any more
    double bytes_per_s = 0;  ///< of chunks, each way; 0: as fast as they go
    double delay_s = 0;      ///< of everything, each way
    bool operator==(const LinkFault&) const = default;
};

/// The same for one of the two devices. Neighbours that stand in no row have no fault.
struct NeighbourFault {
    std::uint32_t id = 0;  ///< the neighbour's routing identifier
    bool cut = false;
    double bytes_per_s = 0;
    double delay_s = 0;
    bool operator==(const NeighbourFault&) const = default;
};

/// Slower, a heartbeat's lane would be all that the link carries; a delay beyond makes every neighbour one that failed.
inline constexpr double least_fault_bytes_per_s = 1e3, most_fault_bytes_per_s = 1e12, most_fault_delay_s = 10;

/// Longer, nobody would wait for it: the tasks of an instance that sleeps have gone on without it long before.
inline constexpr double most_pause_s = 60;

// --- messages ----------------------------------------------------------------------------------

/// From operators, where the cluster was started with faults allowed: the process that plays this SID is killed.
/// Answered by Done.
struct KillInstance {
    Sid sid;
};
/// Likewise: the agent of this node is killed, and its instances with it. Answered by Done.
struct KillNode {
    NodeId node;
};
/// Likewise: the process that plays this SID stops, and goes on after so long. Answered by Done.
struct PauseInstance {
    Sid sid;
    double seconds = 0;
};
/// To a node, not answered: kills the process of an instance, or stops it for a while. What becomes of it is told as
/// of any other process.
struct FaultInstance {
    InstanceId instance;
    double pause_s = 0;  ///< 0: it is killed
};

}  // namespace divisi::control::inline types
