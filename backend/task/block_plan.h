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

/// Segments of a block partition, and the node that each wants: "" for any.
struct PlannedBlocks {
    plan::Blocks blocks;
    std::vector<std::string> places;
};

/// The best contiguous cuts known, and the nodes of the pool that they are for; none: any.
struct LayerStart {
    const std::vector<plan::Segment>& segments;
    const std::vector<std::int32_t>& nodes;
};

/// Blocks for strategy = "block" without [[split.segment]]: one segment for each of split.stages nodes, those of
/// place.stages where the task names them, else those that [place.pin] and the data name, those of the start and a
/// secure one for sensitive operators. It begins with `start`, keeps pins, split.together, the locality of the data,
/// and where the pool is known, sensitive operators and memory, and is never slower than it by the prices of the nodes
/// and links of the pool, else of default_pool(). A node's speed is that of the whole graph on it. Deterministic. Fails
/// as search::block_segmentation() does.
Result<PlannedBlocks> plan_blocks(const TaskSpec& spec, const plan::TrainingGraph& training,
                                  const graph::GraphCost& cost, const LayerStart& start, const price::NodePool& known);

}  // namespace divisi::task
