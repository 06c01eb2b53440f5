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
/// choice of cuts. Each cut moves over its own equal share of the `legal_cuts` (at least as many as any plan has cuts).
/// Plans with the same cuts are far apart in the list, so that a machine that slows down does not look like a property
/// of the cuts.
std::vector<PlanChoice> choose_plans(int count, const std::vector<int>& stage_counts, int legal_cuts);

}  // namespace divisi::bench
