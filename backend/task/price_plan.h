// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/price/node_pool.h"
#include "backend/task/compile.h"
#include "backend/task/priced_plan.h"

namespace divisi::task {

/// Prices a compiled plan on the nodes that it was compiled for. `model` is the graph it was compiled from. The lower
/// bound is that of the best contiguous cuts for layer plans, otherwise an even share of the work. Fails as
/// predict_step() and split_distance() do. Also fails as sent_text() does, so that every shown plan can be run.
Result<PricedPlan> price_plan(const CompiledPlan& compiled, const graph::Graph& model, const price::NodePool& devices);

}  // namespace divisi::task
