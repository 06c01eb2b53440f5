// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "agents/segment/executor.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/state/event.h"
#include "backend/task/compile.h"

namespace divisi::instance {

// Stores the output of an instance at the end of its task. `folder` is the instance's folder; `blobs` is the node's
// blob store.

/// Stores the weights of a stage after the last step. Without an executor, the record names only the step.
Result<control::WeightsStored> store_weights(const task::CompiledPlan& plan, const segment::Executor* executor,
                                             const std::filesystem::path& folder, const std::filesystem::path& blobs);
/// Stores the results of a batch task, whose last step is `step`. Returns an empty record if the stage has no results;
/// most stages have none.
Result<control::WeightsStored> store_results(std::optional<std::int64_t> step, const std::filesystem::path& folder,
                                             const std::filesystem::path& blobs);

/// Returns a reader of the task's weights file. Only stages with weights from the file call the reader; nodes of other
/// stages need no copy of the file.
segment::WeightReader weight_reader(std::shared_ptr<const task::CompiledPlan> plan, const control::Deploy& deploy,
                                    const std::filesystem::path& blobs);

/// Name of the file for a batch task's results, in the instance's folder.
inline constexpr const char* results_name = "results.csv";

}  // namespace divisi::instance
