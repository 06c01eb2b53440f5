// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "backend/control/state/state.h"
#include "backend/submit/transfers.h"

namespace divisi::submit {

/// What a batch has said of its samples (resources/docs/batch.md); null where the task has none, or none yet.
const control::WeightsStored* results_of(const control::TaskView& task);

/// Writes them to a file of this machine, whole or not at all: copied where they lie here, else fetched from the node
/// that has them by way of `store`, where nothing stays. Fails (conflict) where the task has no results.
Result<void> save_results(const Traveller& traveller, const control::ClusterState& state, const TaskId& task,
                          const std::filesystem::path& store, const std::filesystem::path& output,
                          const std::atomic<bool>& cancelled);

}  // namespace divisi::submit
