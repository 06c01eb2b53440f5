// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/base/ids.h"
#include "backend/base/units.h"
#include "backend/graph/cost.h"
#include "backend/plan/program.h"
#include "backend/plan/training_graph.h"

namespace divisi::plan {

enum class UnitKind : std::uint8_t { load, preprocess, forward, loss, backward, optimizer };
const char* to_string(UnitKind kind);

/// A tensor that a unit reads or produces for one micro-batch.
struct TensorSchema {
    std::string name;
    graph::DType dtype = graph::DType::undefined;
    std::vector<std::int64_t> dims;  ///< -1 if unknown
};

/// The resources that a unit needs per micro-batch; for an optimizer, per step.
struct ComputeNeeds {
    Flops flops = 0;
    Bytes moved = 0;   ///< bytes read and written in memory
    Bytes memory = 0;  ///< memory held: parameters, gradients, optimizer state, activations in flight
};

struct Unit {
    Sid sid;  ///< task/unit/replica, e.g. "gpt-1/stage-2/forward/0", so that "gpt-1/stage-2" is a service prefix
    UnitKind kind = UnitKind::forward;
    std::int32_t stage = data_unit;  ///< one instance runs all units of a stage; the same holds for the data units
    std::vector<TensorSchema> inputs, outputs;
    ComputeNeeds needs;
    std::vector<std::string> tags;  ///< dependency tags: "value:/x", "gradient:/x", "weights:stage-2"
};

/// A dependency: `to` waits for `from`. Bytes are per micro-batch; 0 within one instance and for tensors that are sent
/// once per step.
struct UnitEdge {
    std::int32_t from = 0, to = 0;
    std::string tag;
    Bytes bytes = 0;
};

struct TaskGraph {
    std::vector<Unit> units;  ///< topologically sorted: data, forward, losses, backward (last stage first), optimizer
    std::vector<UnitEdge> edges;
};

/// Options of make_task_graph(). `optimizer_states` is the optimizer state in bytes per parameter byte: 0 for plain
/// SGD, 1 with momentum, 2 for AdamW.
struct TaskGraphOptions {
    std::string task;  ///< first part of every SID; may be empty
    std::int32_t optimizer_states = 0;
    bool recompute = false;  ///< activations are recomputed in the backward pass
};

/// Returns the plan as a graph of units: load -> preprocess -> forward by stage -> loss -> backward by stage ->
/// optimizer. For a batch task (RunLength::over_data), it has only the forward part. `cost` is the cost of the training
/// graph.
TaskGraph make_task_graph(const TrainingGraph& training, const Partition& partition, const Programs& programs,
                          const PassOrder& order, const graph::GraphCost& cost, const TaskGraphOptions& options);

/// The peak memory of one stage: parameters, gradients, optimizer state, and activations of the micro-batches in
/// flight. If `recompute` is set, `activations` counts only the inputs of these micro-batches and the activations of
/// one of them. This is an estimate: an executor may keep only a part of an activation.
struct StageMemory {
    Bytes parameters = 0, gradients = 0, optimizer = 0, activations = 0;
    Bytes total() const { return parameters + gradients + optimizer + activations; }
};
StageMemory stage_memory(const graph::Graph& graph, const graph::GraphCost& cost, const Segment& segment,
                         std::int32_t in_flight, std::int32_t optimizer_states, bool recompute = false);
/// Returns the peak memory of a stage that runs only forward passes, one micro-batch at a time.
StageMemory forward_memory(const graph::Graph& graph, const graph::GraphCost& cost, const Segment& segment);

}  // namespace divisi::plan
