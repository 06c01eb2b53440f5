// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Checks what a task says about a model against that model, with shapes inferred for one micro-batch:
/// [model.inputs] and frozen name what exists, all inputs are fed, cuts are legal or the stages fit,
/// the loss fits the output. The error's `where` is "section.key".
Result<void> check_against_model(const TaskSpec& spec, const graph::Graph& model);

}  // namespace divisi::task
