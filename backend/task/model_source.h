// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Reads a model that load_model() does not build from the zoo. The adapter is backend/onnx's import or skeleton.
using ModelReader = std::function<Result<graph::Graph>()>;

/// Returns the model of a task with shapes inferred for one micro-batch: the zoo's model, or the one that `read`
/// returns. `read` also supplies a zoo model that begins with the weights of a version ([model] from). The first axis
/// of an input is the batch dimension if it is symbolic or open and not set in [model.symbols].
///
/// Fails as build_zoo() and infer_shapes() do. Fails (invalid_input) if the model's batch size is fixed to another
/// size; the message says how to export the model.
Result<graph::Graph> load_model(const TaskSpec& spec, const ModelReader& read);

/// Resolves `path` of a task file in `folder`: "node:/x" is /x on the node, other paths are relative to `folder`.
std::string resolve_path(const std::string& folder, const std::string& path);
inline constexpr const char* node_prefix = "node:";

/// Returns the path of a batch task's results next to the task file in `folder`: [batch] output, or else
/// NAME-results.csv.
std::string results_file(const TaskSpec& spec, const std::string& folder);

}  // namespace divisi::task
