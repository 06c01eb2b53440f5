// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/base/result.h"
#include "backend/control/protocol/jobs.h"
#include "backend/search/node_chain.h"

namespace divisi::orchestrator {

/// Looks for the best cuts of a task that trains, on the nodes where it is, and predicts a step by them and by those in
/// force. Each node is priced as much slower or faster than its prices say as its stages were measured to be. `data`:
/// with the prices that were measured. Fails as task::compile() does.
Result<control::RecutTrial> play_recut(const control::RecutTrialJob& job, const std::filesystem::path& data,
                                       const search::StopSearch& stop);

}  // namespace divisi::orchestrator
