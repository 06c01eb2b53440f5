// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/result.h"
#include "backend/control/protocol/message_fwd.h"
#include "backend/control/protocol/plan_summary.h"
#include "backend/control/state/state.h"

namespace divisi::control::inline change {

/// Returns the task file of a re-cut. The new file has other cuts, another number of stages, or other blocks. To undo a
/// re-cut, returns the file from before the last re-cut. If the number of stages changes, or if the message gives
/// blocks, drops the nodes that the file names for stages.
///
/// Fails (invalid_input) if the message gives none or several of these options, or if the new file is invalid. Fails
/// (conflict) if the re-cut to be undone does not exist.
Result<std::string> recut_text(const TaskView& task, const Recut& message);

/// Returns the file with the cuts that a search has found, so that no new search is needed. The hash of the plan stays
/// the same.
Result<std::string> with_found_cuts(const std::string& text, const PlanSummary& plan);

}  // namespace divisi::control::inline change
