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

/// The memory of a stage's device, and the device's name for messages. Without a memory figure, the device is not
/// checked.
struct StageCapacity {
    std::string device;  ///< name of the device, such as "mic-1/node-2 cpu"
    std::optional<Bytes> memory;
};

/// Checks that every operator is in exactly one segment, that segments are acyclic, and that the edges are exactly
/// the edges that the segments need.
Result<void> check_partition(const graph::Graph& graph, const Partition& partition);

/// Compares each stage's estimate with its device's memory. An error names the stage, the device and a remedy.
Result<void> check_memory(const std::vector<StageMemory>& stages, const std::vector<StageCapacity>& capacities);

}  // namespace divisi::plan
