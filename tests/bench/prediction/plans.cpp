// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/prediction/plans.h"

#include <utility>

namespace divisi::bench {
namespace {

const std::pair<const char*, int> variants[] = {{"1f1b", 8}, {"gpipe", 4}, {"1f1b", 4}, {"gpipe", 8}};
constexpr int variant_count = 4;

/// Returns the i-th number of van der Corput's sequence, i from 1: 1/2, 1/4, 3/4, 1/8, ... The first n numbers are
/// spread evenly over (0, 1), for every n.
double spread(int i) {
    double result = 0;
    for (double part = 0.5; i > 0; i /= 2, part /= 2) result += part * (i % 2);
    return result;
}

}  // namespace

std::vector<PlanChoice> choose_plans(int count, const std::vector<int>& stage_counts, int legal_cuts) {
    const int places = (count + variant_count - 1) / variant_count;
    std::vector<PlanChoice> plans;
    for (const auto& [schedule, microbatches] : variants) {
        for (int place = 0; place < places && static_cast<int>(plans.size()) < count; ++place) {
            const int cuts = stage_counts[static_cast<std::size_t>(place) % stage_counts.size()] - 1;
            PlanChoice plan{{}, schedule, microbatches};
            for (int cut = 0; cut < cuts; ++cut)
                plan.cuts.push_back(static_cast<int>((cut + spread(place + 1)) / cuts * legal_cuts));
            plans.push_back(std::move(plan));
        }
    }
    return plans;
}

}  // namespace divisi::bench
