// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "backend/control/state/policy_trial.h"

namespace divisi::orchestrator {

/// Plays every task of the job through the step simulator, where it runs now, under the policy in force and under the
/// one that is tried. A task that cannot be played says why; the others are played all the same. `data`: with the
/// prices that were measured. Fails only where it is told to stop.
Result<control::PolicyTrial> play_policy(const control::PolicyTrialJob& job, const std::filesystem::path& data,
                                         const std::function<bool()>& stop);

}  // namespace divisi::orchestrator
