// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "backend/plan/cut_choice.h"
#include "backend/search/segmentation_request.h"

namespace divisi::search {

/// Returns the cost of a choice of cuts, e.g. its simulated step time; infinite if the choice is not allowed.
using CutPrice = std::function<double(const plan::CutChoice&)>;

struct TabuResult {
    plan::CutChoice cuts;
    double start_price = 0;
    double price = 0;              ///< never above start_price
    std::int64_t iterations = 0;   ///< number of examined neighbourhoods
    std::int64_t evaluations = 0;  ///< number of calls of CutPrice; known prices are reused
};

/// Receives the best result so far after each iteration; returning false ends the search with that result.
using TabuWatch = std::function<bool(const TabuResult& so_far)>;

/// Runs a tabu search (Glover, ORSA Journal on Computing 1, 1989). A move shifts one cut by at most
/// request.tabu_neighbourhood legal positions to either side, without passing another cut. Each iteration makes the
/// best move, even if the current choice is better. The cut may not return to its old position for request.tabu_tenure
/// iterations. Exception: if request.tabu_aspiration is "better", a move that gives a new best choice is allowed.
///
/// request.tabu_seed breaks ties. The search ends after request.tabu_iterations, if no cut can move, or if `watch`
/// returns false. `legal` is the number of legal cuts; `start` is a choice of them.
TabuResult tabu_search(const plan::CutChoice& start, std::int32_t legal, const CutPrice& price,
                       const SegmentationRequest& request, const TabuWatch& watch = {});

}  // namespace divisi::search
