// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/mesh/base/device.h"

namespace divisi::control::inline types {

/// A gateway or router in the cluster's state, with all that determines the path of tensors between two MICs.
struct MeshMember {
    std::uint32_t id = 0;  ///< routing identifier; of two equal paths the one with the lower identifiers is taken
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    MicId mic;  ///< gateways only
    std::string host;
    std::vector<std::string> neighbours;  ///< by name; a link exists if either end names the other
    bool operator==(const MeshMember&) const = default;
};

// Events of the log. Membership in the mesh lasts until the orchestrator restarts: devices then register again.

/// A gateway or router has registered, or registered again with different properties.
struct DeviceJoined {
    MeshMember device;
};
/// The device said goodbye, or another replaced it.
struct DeviceLeft {
    std::string name;
};

/// Sent to a gateway or router while no task runs: measure the link to this neighbour. ProbeEnded follows.
struct ProbeNeighbour {
    std::uint64_t probe = 0;
    std::uint32_t id = 0;  ///< the neighbour's routing identifier
};

}  // namespace divisi::control::inline types
