// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backend/price/landscape.h"

namespace divisi::price {

/// Returns whether a step has costs that the landscape's closed form omits: data instances, or a gateway or router that
/// takes cores from the instances on its host.
bool costs_beside_stages(const Placement& placement);

/// Limit for the operators and passes that simulate_positions() processes, each in about half a microsecond. Enough for
/// all positions of a model of about 200 operators. At least four positions are simulated, even if that exceeds the
/// limit.
inline constexpr std::int64_t simulated_work = 60'000;

/// Adds simulated step times to a landscape: at every position if `work` suffices. Otherwise simulates the current
/// position, both ends, and then in turn the fastest position and the middle of the widest gap.
///
/// Positions in between use the closed form, corrected by its error at the nearest simulated positions on both sides.
/// No position gets a lower time than the fastest simulated position, so Landscape::best() is a simulated position if
/// there is any. Never fails: a position whose simulation fails counts as not simulated.
void simulate_positions(Landscape& landscape, Pricing& pricing, const MovingCut& cut, const Placement& placement,
                        const TrainingSetup& setup, std::int64_t work = simulated_work);

}  // namespace divisi::price
