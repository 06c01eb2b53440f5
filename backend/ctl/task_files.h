// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/state/state.h"
#include "backend/ctl/session.h"

namespace divisi::ctl {

/// The newest task of that id or name; with `has`, of those for which it holds, if any.
Result<const control::TaskView*> find_task(const control::ClusterState& state, const std::string& name,
                                           bool (*has)(const control::TaskView&));

/// Writes the results of a batch, fetched from the node that has them. `name`: id or name of the task.
Result<void> fetch_results(Session& session, const std::string& name, const std::filesystem::path& output);
/// Whether they can be written there, before anything runs.
Result<void> check_results_file(const std::filesystem::path& file);

}  // namespace divisi::ctl
