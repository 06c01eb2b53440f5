// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/control/state/state.h"
#include "backend/submit/transfers.h"

namespace divisi::submit {

/// Returns the results of a batch (resources/docs/batch.md); null if the task has no results, or none yet.
const control::WeightsStored* results_of(const control::TaskView& task);

/// Writes the results to a file of this machine, all or nothing. If the results are on this machine, they are copied.
/// Otherwise they are fetched through `store` from the node that has them; `store` keeps no copy. Fails (conflict) if
/// the task has no results.
Result<void> save_results(const ClientIdentity& identity, const control::ClusterState& state, const TaskId& task,
                          const std::filesystem::path& store, const std::filesystem::path& output,
                          const std::atomic<bool>& cancelled);

}  // namespace divisi::submit
