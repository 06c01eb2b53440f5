// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "backend/control/state.h"
#include "backend/plan/predict.h"
#include "backend/task/task_spec.h"

namespace divisi::client {

/// Where plans of so many stages would run, on the nodes that are ready now or, without any, on this machine; with
/// the operators' prices that were measured here (divisictl profile). Reads the profile store once; what is
/// returned owns what it needs and may be called in any thread.
std::function<plan::Placement(std::int32_t stages)> placement_of(const control::ClusterState& state,
                                                                 const task::PlaceSection& place);

/// Changes when the nodes that placement_of() counts on change.
std::string nodes_signature(const control::ClusterState& state);

}  // namespace divisi::client
