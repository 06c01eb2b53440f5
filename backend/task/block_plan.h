// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/plan/blocks.h"
#include "backend/plan/cut_choice.h"
#include "backend/plan/training_graph.h"
#include "backend/price/node_pool.h"
#include "backend/search/block_segmentation.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Segments of a block partition, and the intended node of each segment ("" for any).
struct PlannedBlocks {
    plan::Blocks blocks;
    std::vector<std::string> places;
};

/// The best known contiguous cuts, and their nodes in the pool. If `nodes` is empty, any nodes are allowed.
struct LayerStart {
    const std::vector<plan::Segment>& segments;
    const std::vector<std::int32_t>& nodes;
};

/// Plans blocks for strategy = "block" without [[split.segment]]: one segment for each of split.stages nodes. If the
/// task has place.stages, the blocks run on these nodes. Otherwise they run on the nodes that [place.pin] and the
/// locality of the data require, on a secure node for sensitive operators, and on the nodes of the start. Begins with
/// `start` and respects pins, split.together and the locality of the data. If the pool is known, the result also
/// respects sensitive operators and memory. Prices come from the pool's nodes and links, or from default_pool().
/// According to these prices, the result is never slower than `start`. A node's speed follows from the price of the
/// whole graph on it. Deterministic. Fails as search::block_segmentation() does.
Result<PlannedBlocks> plan_blocks(const TaskSpec& spec, const plan::TrainingGraph& training,
                                  const graph::GraphCost& cost, const LayerStart& start, const price::NodePool& known);

}  // namespace divisi::task
