// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Reads a model that is not the zoo's; the adapter is backend/onnx's import or skeleton.
using ModelReader = std::function<Result<graph::Graph>()>;

/// The model of a task with shapes inferred for one micro-batch: the zoo's, or what `read` gives, also where the zoo's
/// begins with the weights of a version ([model] from). The first axis of every input that is symbolic or open, and
/// not set in [model.symbols], is the batch.
/// Fails as build_zoo() and infer_shapes() do; (invalid_input) when the model's batch is fixed to another size,
/// naming the export that works.
Result<graph::Graph> load_model(const TaskSpec& spec, const ModelReader& read);

/// `path` as the task file in `folder` means it: "node:/x" is /x on the node, the rest is relative to `folder`.
std::string resolve_path(const std::string& folder, const std::string& path);
inline constexpr const char* node_prefix = "node:";

/// Where a batch's results go: [batch] output, else NAME-results.csv, beside the task file in `folder`.
std::string results_file(const TaskSpec& spec, const std::string& folder);

}  // namespace divisi::task
