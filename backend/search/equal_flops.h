// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/base/result.h"
#include "backend/graph/cost.h"
#include "backend/graph/cuts.h"
#include "backend/plan/cut_choice.h"

namespace divisi::search {

/// Share by which the slowest segment may exceed the optimum if fewer bytes then cross the cuts.
inline constexpr double equal_flops_slack = 0.02;

/// Cuts the graph into `stages` segments of about equal work. The cost of the largest segment in FLOPs (forward +
/// backward) is within equal_flops_slack of the exact minimum over all choices of legal cuts. Among such choices,
/// returns the choice with the fewest crossing bytes, and among equals the choice with the earliest cuts (see
/// plan_layers()). `cost` may be the cost of the graph extended by the loss; the loss then counts in the last segment.
/// Fails (invalid_input) if there are too few legal cuts.
Result<plan::CutChoice> equal_flops(const graph::Graph& graph, const graph::CutList& cuts, const graph::GraphCost& cost,
                                    std::int64_t stages);

}  // namespace divisi::search
