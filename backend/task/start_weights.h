// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Checks that the weights of `trained` can be the first weights of the task's `model`. Every weight that the task
/// trains or initializes randomly must be in `trained`, with the same name, type and shape. Every weight that trains in
/// `trained` must be in `model`. The error (invalid_input) lists differences and calls the source `version`.
Result<void> check_start(const TaskSpec& spec, const graph::Graph& model, const graph::Graph& trained,
                         const std::string& version);

/// Gives every floating initializer of `model` the data with its name in `trained`, including frozen weights and
/// running statistics. Initializers read only by a dropped head keep their data. Fails as check_start() does.
Result<void> start_with(const TaskSpec& spec, graph::Graph& model, const graph::Graph& trained,
                        const std::string& version);

}  // namespace divisi::task
