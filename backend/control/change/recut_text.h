// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/result.h"
#include "backend/control/protocol/message.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::control::inline change {

/// The task file of a re-cut: that of the task with other cuts, another number of stages or blocks, or the one before
/// the last re-cut. Where the number of stages changes, nodes that the file names for them hold no longer. Fails
/// (invalid_input, conflict) where the message says none of these or several, or what no task file may say.
Result<std::string> recut_text(const TaskView& task, const Recut& message);

/// The same file with the cuts that were found for it, so that nobody searches again. The hash of the plan is the same.
Result<std::string> with_found_cuts(const std::string& text, const PlanSummary& plan);

}  // namespace divisi::control::inline change
