// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace divisi::bench {

/// A plan to predict and to run.
struct PlanChoice {
    std::vector<int> cuts;  ///< indices of legal cuts, ascending; one less than its stages
    std::string schedule;
    int microbatches = 1;

    int stages() const { return static_cast<int>(cuts.size()) + 1; }
};

/// Returns `count` plans that cycle through the stage counts, with every schedule and number of micro-batches for each
/// choice of cuts. The `legal_cuts` legal positions are divided into equal ranges, one for each cut of a plan, and each
/// cut takes positions spread over its range. `legal_cuts` must be at least the number of cuts of every plan. Plans
/// with the same cuts are far apart in the list, so that a machine that slows down does not look like a property of the
/// cuts.
std::vector<PlanChoice> choose_plans(int count, const std::vector<int>& stage_counts, int legal_cuts);

}  // namespace divisi::bench
