// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/mesh/base/device.h"

namespace divisi::control::inline types {

/// A gateway or router as the cluster's state knows it: what says which way tensors between two MICs take.
struct MeshMember {
    std::uint32_t id = 0;  ///< routing identifier; of two equal ways the one with the lower ones is taken
    std::string name;
    mesh::DeviceRole role = mesh::DeviceRole::router;
    MicId mic;  ///< of a gateway
    std::string host;
    std::vector<std::string> neighbours;  ///< by name; a link is there where either end names the other
    bool operator==(const MeshMember&) const = default;
};

// Events of the log. Who is in the mesh holds until the orchestrator begins anew: devices then say again who they are.

/// A gateway or router has registered, or registered again as something else than before.
struct DeviceJoined {
    MeshMember device;
};
/// It said goodbye, or another came in its place.
struct DeviceLeft {
    std::string name;
};

/// To a gateway or router: measure the link to this neighbour, while no task runs. ProbeEnded follows.
struct ProbeNeighbour {
    std::uint64_t probe = 0;
    std::uint32_t id = 0;  ///< the neighbour's routing identifier
};

}  // namespace divisi::control::inline types
