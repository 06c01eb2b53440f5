// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/result.h"
#include "backend/control/protocol/message.h"
#include "backend/control/protocol/plan_summary.h"

namespace divisi::control::inline change {

/// Returns the task file of a re-cut: with other cuts, another number of stages, blocks, or the file before the last
/// re-cut. If the number of stages changes, nodes that the file names for stages are dropped.
///
/// Fails (invalid_input) if the message gives none or several of these, or a file that is not valid. Fails (conflict)
/// if the re-cut to be undone does not exist.
Result<std::string> recut_text(const TaskView& task, const Recut& message);

/// Returns the file with the cuts that were found, so that nobody searches again. The plan's hash stays the same.
Result<std::string> with_found_cuts(const std::string& text, const PlanSummary& plan);

}  // namespace divisi::control::inline change
