// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/state/state.h"
#include "backend/ctl/terminal/session.h"

namespace divisi::ctl {

/// Returns the newest task with that id or name. Prefers tasks for which the predicate `has` returns true.
Result<const control::TaskView*> find_task(const control::ClusterState& state, const std::string& name,
                                           bool (*has)(const control::TaskView&));

/// Fetches a batch's results from the node that has them, and writes them. `name`: id or name of the task.
Result<void> fetch_results(Session& session, const std::string& name, const std::filesystem::path& output);
/// Checks that results can be written to the file, before the task runs.
Result<void> check_results_file(const std::filesystem::path& file);

}  // namespace divisi::ctl
