// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/state.h"
#include "backend/task/task_spec.h"
#include "backend/task/validate.h"

namespace divisi::submit {

/// Where plans of so many stages would run: on the nodes of `state` that are ready or, without any, on this machine
/// as an embedded cluster runs them. Operators have the prices that were measured on the same device types
/// (store::ProfileStore in the data folder `data`), else the default rates, also where that cannot be read. Reads it
/// once; what is returned owns what it needs and may be called in any thread. divisictl and the console call this
/// one, and so say the same.
task::PlacementOf placement_of(const control::ClusterState& state, const task::PlaceSection& place,
                               const std::filesystem::path& data);

/// Changes when the nodes that placement_of() counts on change.
std::string nodes_signature(const control::ClusterState& state);

}  // namespace divisi::submit
