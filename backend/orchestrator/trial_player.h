// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "backend/base/result.h"
#include "backend/control/protocol/jobs.h"
#include "backend/control/state/policy_trial.h"
#include "backend/search/node_chain.h"

namespace divisi::orchestrator {

/// Simulates every task of the job on its current nodes, under the current policy and under the changed one. If a task
/// cannot be simulated, its result says why, and the other tasks are still simulated. `data`: folder with the measured
/// prices. Fails only if it is stopped.
Result<control::PolicyTrial> play_policy(const control::PolicyTrialJob& job, const std::filesystem::path& data,
                                         const std::function<bool()>& stop);

/// Searches for the best cuts for a training task, on its current nodes, and predicts the step time with these cuts and
/// with the current cuts. The prices of each node are scaled by the ratio of its stages' measured times to their
/// predicted times. `data`: folder with the measured prices. Fails as task::compile() does.
Result<control::RecutTrial> play_recut(const control::RecutTrialJob& job, const std::filesystem::path& data,
                                       const search::StopSearch& stop);

}  // namespace divisi::orchestrator
