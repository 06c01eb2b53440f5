// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/base/result.h"
#include "backend/control/protocol/jobs.h"
#include "backend/search/node_chain.h"

namespace divisi::orchestrator {

/// Searches for the best cuts for a training task, on its current nodes, and predicts the step time with these cuts and
/// with the current cuts. The prices of each node are scaled by the ratio of its stages' measured times to their
/// predicted times. `data`: folder with the measured prices. Fails as task::compile() does.
Result<control::RecutTrial> play_recut(const control::RecutTrialJob& job, const std::filesystem::path& data,
                                       const search::StopSearch& stop);

}  // namespace divisi::orchestrator
