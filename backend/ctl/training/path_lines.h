// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/control/state/state.h"
#include "backend/price/predict.h"

namespace divisi::ctl {

/// The places of a plan's stages and data, which determine the paths of its tensors.
struct PlannedPlaces {
    std::size_t stages = 0;
    std::vector<std::string> mics;  ///< MICs of its stages and its data, each once, sorted by name
    bool has_mesh = false;          ///< whether gateways or routers are registered
};

/// Finds the places of a plan. A node that the state does not know is ignored.
PlannedPlaces planned_places(const price::Placement& placement, const control::ClusterState& state);

/// Lists the gateways and routers that a plan's tensors pass, one path a line: "from stage 0 to stage 1 by mg-1, sr-1,
/// mg-2". If there is no path at all, one line says why. Returns an empty list if there is only one stage, or only one
/// MIC and no mesh.
std::vector<std::string> path_lines(const std::vector<price::PathUse>& paths, const PlannedPlaces& places);

}  // namespace divisi::ctl
