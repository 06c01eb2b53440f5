// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/state/state.h"
#include "backend/price/predict.h"

namespace divisi::ctl {

/// Where a plan runs, as far as it decides which way its tensors take.
struct PlannedPlaces {
    std::size_t stages = 0;
    std::vector<std::string> mics;  ///< of its stages and of its data, each once, in order
    bool has_mesh = false;          ///< gateways or routers are registered
};

/// Nodes that the state does not know have no MIC.
PlannedPlaces planned_places(const price::Placement& placement, const control::ClusterState& state);

/// By which gateways and routers a plan's tensors go, one path a line: "from stage 0 to stage 1 by mg-1, sr-1, mg-2".
/// Where none goes there, one line says why; nothing where there is only one stage, or one MIC and no mesh.
std::vector<std::string> path_lines(const std::vector<price::PathUse>& paths, const PlannedPlaces& places);

}  // namespace divisi::ctl
