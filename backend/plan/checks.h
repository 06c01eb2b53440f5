// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/base/units.h"
#include "backend/plan/program.h"
#include "backend/plan/task_graph.h"

namespace divisi::plan {

/// Memory of a stage's device, by whatever name the operator knows it. No capacity: not checked.
struct StageCapacity {
    std::string device;  ///< "mic-1/node-2 cpu"
    std::optional<Bytes> memory;
};

/// Every operator in exactly one segment, segments acyclic, edges as the segments need them.
Result<void> check_partition(const graph::Graph& graph, const Partition& partition);

/// Each stage's estimate against its device; names the stage, the device and what would mend it.
Result<void> check_memory(const std::vector<StageMemory>& stages, const std::vector<StageCapacity>& capacities);

}  // namespace divisi::plan
