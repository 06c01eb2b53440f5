// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/base/result.h"
#include "backend/plan/schedule.h"
#include "backend/price/cut_series.h"

namespace divisi::price {

/// Limit for passes times positions that are evaluated; `work` of step_times(). A larger schedule is evaluated for two
/// smaller numbers of micro-batches and extrapolated, since a pipeline at full speed adds the same time for each. This
/// keeps a landscape within one frame. Never uses fewer micro-batches than fill the pipeline twice.
inline constexpr std::int64_t landscape_work = 10'000'000;

/// Returns the step time in seconds at every column of `series`: the longest path through the schedule's passes, links,
/// slots and the operations at the end of the step. Assumes that data is ready and every stage has its own host. Fails
/// (invalid_input) for an unknown schedule, or if its slots cause a deadlock.
Result<std::vector<double>> step_times(const CutSeries& series, const Placement& placement, const TrainingSetup& setup,
                                       std::int64_t work = landscape_work);

}  // namespace divisi::price
