// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/mesh/base/device.h"

namespace divisi::control::inline types {

/// A gateway or router in the cluster's state, with the properties that determine the path of tensors between two MICs.
struct MeshMember {
    std::uint32_t id = 0;  ///< routing identifier; of two equal paths, the path with lower identifiers is used
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    MicId mic;  ///< MIC of a gateway; empty for routers
    std::string host;
    std::vector<std::string> neighbours;  ///< names of neighbours; a link exists if either end names the other
    bool operator==(const MeshMember&) const = default;
};

// Events of the log. Membership in the mesh lasts until the orchestrator restarts: devices then register again.

/// A gateway or router has registered, or registered again with different properties.
struct DeviceJoined {
    MeshMember device;
};
/// The device left, was removed or replaced, or is a router whose lease has lapsed.
struct DeviceLeft {
    std::string name;
};

/// Sent to a gateway or router while no task runs: it measures the link to this neighbour. ProbeEnded follows.
struct ProbeNeighbour {
    std::uint64_t probe = 0;
    std::uint32_t id = 0;  ///< the neighbour's routing identifier
};

}  // namespace divisi::control::inline types
