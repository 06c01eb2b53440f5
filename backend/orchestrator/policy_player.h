// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "backend/control/state/policy_trial.h"

namespace divisi::orchestrator {

/// Simulates every task of the job where it runs now, under the current policy and under the tried one. If a task
/// cannot be simulated, its result says why, and the others are still simulated. `data`: folder with the measured
/// prices. Fails only if stopped.
Result<control::PolicyTrial> play_policy(const control::PolicyTrialJob& job, const std::filesystem::path& data,
                                         const std::function<bool()>& stop);

}  // namespace divisi::orchestrator
