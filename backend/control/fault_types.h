// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace divisi::control {

// Faults that a demonstrator makes on purpose (fault injection), to show how the mesh lives with them.

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

}  // namespace divisi::control
