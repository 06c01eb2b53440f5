// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "backend/control/state/state.h"
#include "backend/ctl/session.h"
#include "backend/submit/trained.h"

namespace divisi::ctl {

/// What that version has (control::find_version), or the newest task of that id or name that has trained to its end.
Result<submit::Trained> find_trained(const control::ClusterState& state, const std::string& name);

/// The skeleton from which the task's model is rebuilt; empty where submit::trained_graph() needs none.
Result<std::string> skeleton_of(Session& session, const control::TaskView& task);
/// What `fetch` returns, which runs on a thread of its own while the session lives on; an interrupt cancels it.
Result<void> fetch_beside(Session& session, const std::function<Result<void>(const submit::Fetching&)>& fetch);

/// Writes what was trained as ONNX. `name`: as find_trained() takes it.
Result<void> export_trained(Session& session, const std::string& name, const std::filesystem::path& output);

}  // namespace divisi::ctl
