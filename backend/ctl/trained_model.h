// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "backend/control/state.h"
#include "backend/ctl/session.h"
#include "backend/graph/graph.h"

namespace divisi::ctl {

/// The task of that version (its number or hash), or the newest of that id or name that has trained to its end.
Result<const control::TaskView*> find_trained(const control::ClusterState& state, const std::string& name);

/// The model that a task has trained, without its weights, and without heads that it dropped.
Result<graph::Graph> trained_graph(Session& session, const control::TaskView& task);
/// Gives that model the weights that the task has trained, and where it trained none those that it came with, fetched
/// from the nodes that hold them.
Result<void> fetch_weights(Session& session, const control::ClusterState& state, const control::TaskView& task,
                           graph::Graph& model);

/// Writes the model that a task has trained as ONNX. `name`: as find_trained() takes it.
Result<void> export_trained(Session& session, const std::string& name, const std::filesystem::path& output);

}  // namespace divisi::ctl
