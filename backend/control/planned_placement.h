// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backend/control/planner.h"
#include "backend/control/state.h"
#include "backend/plan/predict.h"

namespace divisi::control {

/// The measured or default profile of a device; never null.
using ProfileOf = std::function<std::shared_ptr<const plan::DeviceProfile>(const Device& device)>;

/// What a plan asks of its placement.
struct PlacementWish {
    std::int32_t stages = 1;
    std::vector<std::string> stage_nodes;  ///< wanted node of each stage; empty: in turn, as the orchestrator does
    std::string data_node;                 ///< empty: with the first stage
    std::string device = "cpu";
    double threads = 1;
};

/// Where the orchestrator would put a plan now, for its price: stages go to the ready nodes in turn, nodes of one
/// host share its cores and its memory evenly among the stages on it. A wanted node that is not ready is taken for
/// one that is, since the price of a plan may be asked for before its nodes are up. Without any node, see
/// one_host().
plan::Placement planned_placement(const ClusterState& state, const PlacementWish& wish, const ProfileOf& profile_of);

/// All stages on one machine, as the embedded cluster runs them. `machine` has its cores and memory.
plan::Placement one_host(const PlacementWish& wish, const Device& machine, const ProfileOf& profile_of);

}  // namespace divisi::control
