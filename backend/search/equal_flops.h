// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/result.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/plan/cut_choice.h"

namespace divisi::search {

/// How much longer than the best possible the slowest segment may be when that saves bytes.
inline constexpr double equal_flops_slack = 0.02;

/// Cuts into `stages` segments of about equal work. The largest segment cost in FLOPs (forward + backward) is
/// within equal_flops_slack of the least possible over all choices of legal cuts, which is found exactly; among
/// the choices within that, the one with the fewest bytes crossing, then the earliest cuts (see plan_layers()).
/// `cost` may be of the graph continued with the loss, which then counts in the last segment. Fails (invalid_input)
/// when there are too few legal cuts.
Result<plan::CutChoice> equal_flops(const graph::Graph& graph, const graph::CutList& cuts, const graph::GraphCost& cost,
                                    std::int64_t stages);

}  // namespace divisi::search
