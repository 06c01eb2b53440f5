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

/// Checks that the plan cannot deadlock, without simulating it. Every operation waits for the previous operation of its
/// program and for the tensors that it consumes. An operation that sends the k-th tensor of a channel with s slots also
/// waits for the operation that consumes tensor k - s. A run deadlocks if and only if these waits form a cycle, or some
/// tensor is consumed but never sent, or sent but never consumed.
///
/// Checking one step and one micro-batch of an evaluation suffices. In each step, every channel delivers as many
/// tensors as are consumed from it. So no wait leads to another step, and no wait of an evaluation leads to another
/// micro-batch. A cycle therefore lies within one step or one micro-batch of an evaluation, and all steps are alike.
///
/// Fails (invalid_input); the error lists the waits of the cycle. `graph` provides value names and may be null. Also
/// fails for a channel without a slot, and for tensors that are not consumed in ascending order, because the
/// interpreter relies on this order. Time and memory are linear in the operations and their tensors.
Result<void> check_deadlock(const Programs& programs, const graph::Graph* graph = nullptr);

}  // namespace divisi::plan
