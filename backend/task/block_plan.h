// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/plan/block_segmentation.h"
#include "backend/plan/blocks.h"
#include "backend/plan/segmentation.h"
#include "backend/plan/training_graph.h"
#include "backend/task/task_spec.h"

namespace divisi::task {

/// Segments of a block partition, and the node that each wants: "" for any.
struct PlannedBlocks {
    plan::Blocks blocks;
    std::vector<std::string> places;
};

/// Blocks for strategy = "block" without [[split.segment]]: one segment for each of split.stages nodes, those of
/// place.stages where the task names them, else those that [place.pin] names and others like them. It begins
/// with `layers` (the best contiguous cuts known), keeps pins, split.together and the locality of the data, and
/// is never slower than they are by the prices of default_profile() and default_links(); all nodes count as
/// equal. Deterministic: whoever compiles the task finds the same. Fails as plan::block_segmentation() does.
Result<PlannedBlocks> plan_blocks(const TaskSpec& spec, const plan::TrainingGraph& training,
                                  const graph::GraphCost& cost, const std::vector<plan::Segment>& layers);

}  // namespace divisi::task
