// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "backend/plan/cut_choice.h"
#include "backend/search/segmentation_request.h"

namespace divisi::search {

/// What a choice of cuts costs, e.g. its simulated step time; infinite where it is not allowed.
using CutPrice = std::function<double(const plan::CutChoice&)>;

struct TabuResult {
    plan::CutChoice cuts;
    double start_price = 0;
    double price = 0;              ///< never above start_price
    std::int64_t iterations = 0;   ///< neighbourhoods that were looked at
    std::int64_t evaluations = 0;  ///< calls of the price; it is asked once for a choice
};

/// Told the best so far after each iteration; false ends the search with it.
using TabuWatch = std::function<bool(const TabuResult& so_far)>;

/// Tabu search (Glover, ORSA Journal on Computing 1, 1989). A move takes one cut at most
/// request.tabu_neighbourhood legal positions to either side, without passing another cut. Each iteration makes the
/// best move, also for the worse; the cut may not come back to where it was for request.tabu_tenure iterations,
/// unless that is better than the best so far and request.tabu_aspiration is "better". Equal moves are told apart by
/// request.tabu_seed. Ends after request.tabu_iterations, where no cut can move, or when `watch` says so. `legal` is
/// the number of legal cuts; `start` is one of those choices.
TabuResult tabu_search(const plan::CutChoice& start, std::int32_t legal, const CutPrice& price,
                       const SegmentationRequest& request, const TabuWatch& watch = {});

}  // namespace divisi::search
