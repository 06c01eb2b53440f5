// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/price/landscape.h"

namespace divisi::price {

/// Whether a step costs what the closed form of a landscape does not count: data instances, or a gateway or router
/// that takes cores from what is placed on its host.
bool costs_beside_stages(const Placement& placement);

/// Operators and passes that simulate_positions() works off at most, each in about half a microsecond. All positions
/// of a model of up to about 200 operators, and four or more of any.
inline constexpr std::int64_t simulated_work = 60'000;

/// Puts simulated step times into a landscape: at every position where `work` is enough for all, else where the cut
/// lies, at both ends, and again and again where the step would be fastest, or in the middle of the widest gap where
/// that is known. Between them the closed form counts, by what it was off at the nearest on both sides, and no position
/// is faster than the fastest that was simulated, so that Landscape::best() is simulated wherever anything is. A
/// position that cannot be simulated keeps its closed form.
void simulate_positions(Landscape& landscape, Pricing& pricing, const MovingCut& cut, const Placement& placement,
                        const TrainingSetup& setup, std::int64_t work = simulated_work);

}  // namespace divisi::price
