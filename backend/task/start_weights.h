// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Whether what `trained` has trained can be the first weights of the task's `model`: all that the task draws or trains
/// is there, by name, type and shape, and all that was trained there is here. `version` is called so in the error
/// (invalid_input), which names what differs. Needs no weights.
Result<void> check_start(const TaskSpec& spec, const graph::Graph& model, const graph::Graph& trained,
                         const std::string& version);

/// Gives every floating initializer of `model` the data that `trained` has under its name, frozen weights and running
/// statistics included; what only a dropped head reads keeps its own. Fails as check_start().
Result<void> start_with(const TaskSpec& spec, graph::Graph& model, const graph::Graph& trained,
                        const std::string& version);

}  // namespace divisi::task
