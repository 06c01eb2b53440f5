// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/network/mesh_devices.h"
#include "backend/control/placement/placement.h"
#include "backend/control/types/module_types.h"

namespace divisi::control::inline policy {

/// From what a module's observations are taken, as it stands.
struct Sights {
    const ClusterState& state;
    const MeshDevices& devices;
    const mesh::Registry& registry;
    const std::vector<PolicyEntry>& policy;
    const NodeUse& use;
    const std::vector<InstanceLoad>& loads;
};

/// What the inputs stand for. Of each list only the first most_observed elements.
Observation observe(const std::vector<ModuleInput>& inputs, const Sights& sights);

/// An observation is a message of some hundred KiB at most.
inline constexpr std::size_t most_observed = 1024;

}  // namespace divisi::control::inline policy
