// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/base/result.h"
#include "backend/plan/schedule.h"
#include "backend/price/cut_series.h"

namespace divisi::price {

/// Passes times positions that are evaluated: a schedule with more is evaluated for two smaller numbers of
/// micro-batches and extrapolated, since a pipeline at full speed adds the same time for each. Keeps a landscape
/// within a frame; never fewer micro-batches than fill the pipeline twice. `work` of step_times().
inline constexpr std::int64_t landscape_work = 10'000'000;

/// Step time in seconds at every column of `series`: the longest path through the schedule's passes, links, slots
/// and the operations at the end of the step, with data at hand and hosts of their own for all stages. Fails
/// (invalid_input) for an unknown schedule and where its slots bring it to a standstill.
Result<std::vector<double>> step_times(const CutSeries& series, const Placement& placement, const TrainingSetup& setup,
                                       std::int64_t work = landscape_work);

}  // namespace divisi::price
