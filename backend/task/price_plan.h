// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/price/node_pool.h"
#include "backend/task/compile.h"
#include "backend/task/priced_plan.h"

namespace divisi::task {

/// Prices a compiled plan on the nodes that it was compiled for. `model` is what it was compiled from. The lower bound
/// is the best contiguous cuts for layer plans, else an even share of the work. Fails as predict_step(),
/// split_distance() and, since a plan that is shown can be run, sent_text() do.
Result<PricedPlan> price_plan(const CompiledPlan& compiled, const graph::Graph& model, const price::NodePool& devices);

}  // namespace divisi::task
