// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/price/node_pool.h"
#include "backend/task/compile.h"
#include "backend/task/priced_plan.h"

namespace divisi::task {

/// Prices a compiled plan on the nodes that it was compiled for. `model` is the graph it was compiled from. For layer
/// plans, the lower bound is the price of the best contiguous cuts; for other plans, it is an even share of the work.
/// Fails as predict_step() and split_distance() do. Also fails under the conditions of sent_text(), so that every
/// displayed plan can be run.
Result<PricedPlan> price_plan(const CompiledPlan& compiled, const graph::Graph& model, const price::NodePool& devices);

}  // namespace divisi::task
