// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/price/landscape.h"

namespace divisi::price {

/// Whether a step costs what the closed form of a landscape does not count: data instances, or a gateway or router
/// that takes cores from what is placed on its host.
bool costs_beside_stages(const Placement& placement);

/// Operators and passes that simulate_positions() works off at most, each in about half a microsecond: enough for all
/// positions of a model of about 200 operators, and for four of any.
inline constexpr std::int64_t simulated_work = 60'000;

/// Puts simulated step times into a landscape: at every position where `work` is enough for all, else where the cut
/// lies, at both ends, and in turn where the step would be fastest and in the middle of the widest gap. Between them
/// the closed form counts, by what it was off at the nearest on both sides, and no position is faster than the fastest
/// that was simulated, so that Landscape::best() is simulated wherever anything is. Nothing fails: a position that
/// cannot be simulated counts as one that was not.
void simulate_positions(Landscape& landscape, Pricing& pricing, const MovingCut& cut, const Placement& placement,
                        const TrainingSetup& setup, std::int64_t work = simulated_work);

}  // namespace divisi::price
