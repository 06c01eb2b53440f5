// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "backend/control/state/policy_trial.h"

namespace divisi::orchestrator {

/// Simulates every task of the job on its current nodes, under the current policy and under the changed one. If a task
/// cannot be simulated, its result says why, and the other tasks are still simulated. `data`: folder with the measured
/// prices. Fails only if it is stopped.
Result<control::PolicyTrial> play_policy(const control::PolicyTrialJob& job, const std::filesystem::path& data,
                                         const std::function<bool()>& stop);

}  // namespace divisi::orchestrator
