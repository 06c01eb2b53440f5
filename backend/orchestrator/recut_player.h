// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/base/result.h"
#include "backend/control/protocol/jobs.h"
#include "backend/search/node_chain.h"

namespace divisi::orchestrator {

/// Searches for the best cuts for a task that trains, on its current nodes, and predicts the step time with these and
/// with the current cuts. Prices of each node are scaled by how its stages' measured times compare with the prediction.
/// `data`: folder with the measured prices. Fails as task::compile() does.
Result<control::RecutTrial> play_recut(const control::RecutTrialJob& job, const std::filesystem::path& data,
                                       const search::StopSearch& stop);

}  // namespace divisi::orchestrator
