// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/control/network/mesh_devices.h"
#include "backend/control/placement/placement.h"
#include "backend/control/types/module_types.h"
#include "backend/mesh/registry/registry.h"

namespace divisi::control::inline policy {

/// The sources from which a module's observations are collected.
struct ObservationInputs {
    const ClusterState& state;
    const MeshDevices& devices;
    const mesh::Registry& registry;
    const std::vector<PolicyEntry>& policy;
    const NodeUse& use;
    const std::vector<InstanceLoad>& loads;
};

/// Collects the observations that `inputs` selects. Each list has at most most_observed elements.
Observation observe(const std::vector<ModuleInput>& inputs, const ObservationInputs& sources);

/// Maximum number of elements of each list, which limits an observation to a message of some hundred KiB.
inline constexpr std::size_t most_observed = 1024;

}  // namespace divisi::control::inline policy
