// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "backend/control/state/state.h"
#include "backend/ctl/terminal/session.h"
#include "backend/submit/trained.h"

namespace divisi::ctl {

/// Returns the newest task with that id or name. Prefers tasks for which the predicate `has` returns true.
Result<const control::TaskView*> find_task(const control::ClusterState& state, const std::string& name,
                                           bool (*has)(const control::TaskView&));

/// Fetches a batch's results from the node that has them, and writes them. `name`: id or name of the task.
Result<void> fetch_results(Session& session, const std::string& name, const std::filesystem::path& output);
/// Checks that results can be written to the file, before the task runs.
Result<void> check_results_file(const std::filesystem::path& file);

/// Returns the model of a version (control::find_version), or of the newest completed training with that id or name.
Result<submit::Trained> find_trained(const control::ClusterState& state, const std::string& name);

/// Returns the skeleton from which the task's model is rebuilt; empty if submit::trained_graph() needs none.
Result<std::string> skeleton_of(Session& session, const control::TaskView& task);
/// Runs `fetch` on another thread while the session stays alive, and returns its result. An interrupt cancels `fetch`.
Result<void> fetch_beside(Session& session, const std::function<Result<void>(const submit::Fetching&)>& fetch);

/// Writes a trained model as ONNX. `name`: see find_trained().
Result<void> export_trained(Session& session, const std::string& name, const std::filesystem::path& output);

}  // namespace divisi::ctl
