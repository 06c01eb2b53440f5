// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace divisi::bench {

/// A plan to predict and to run.
struct PlanChoice {
    std::vector<int> cuts;  ///< of the legal cuts, ascending; one less than its stages
    std::string schedule;
    int microbatches = 1;

    int stages() const { return static_cast<int>(cuts.size()) + 1; }
};

/// `count` plans over the stage counts in turn, with every schedule and number of micro-batches for each choice of
/// cuts. Each cut wanders over its own equal share of the `legal_cuts` (at least as many as any plan has cuts).
/// Plans of the same cuts stand far apart, so that a machine that gets slower with time does not look like a
/// property of the cuts.
std::vector<PlanChoice> choose_plans(int count, const std::vector<int>& stage_counts, int legal_cuts);

}  // namespace divisi::bench
