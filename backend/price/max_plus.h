// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/base/result.h"
#include "backend/plan/schedule.h"
#include "backend/price/cut_series.h"

namespace divisi::price {

/// Limit for the number of evaluated passes times the number of positions: a value for `work` of step_times(). A larger
/// schedule is evaluated for two smaller numbers of micro-batches and extrapolated, since a pipeline at full speed adds
/// the same time for each. With this limit, a landscape takes at most one frame of the display. step_times() never
/// extrapolates from fewer micro-batches than fill the pipeline three times.
inline constexpr std::int64_t landscape_work = 10'000'000;

/// Returns the step time in seconds at every column of `series`: the longest path through the schedule's passes, links,
/// slots and the operations at the end of the step. Assumes that data is ready and every stage has its own host. Fails
/// (invalid_input) for an unknown schedule, or if channels have so few slots that the schedule deadlocks.
Result<std::vector<double>> step_times(const CutSeries& series, const Placement& placement, const TrainingSetup& setup,
                                       std::int64_t work = landscape_work);

}  // namespace divisi::price
