// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/graph/graph.h"
#include "backend/plan/branches.h"
#include "backend/plan/checks.h"
#include "backend/plan/program.h"
#include "backend/plan/task_graph.h"
#include "backend/plan/training_graph.h"
#include "backend/search/layers.h"
#include "backend/task/priced_plan.h"
#include "backend/task/task_spec.h"
#include "backend/task/validate.h"

namespace divisi::task {

/// Everything that follows from a task file and its model. Orchestrator, instances, divisictl and the console each
/// compile the plan themselves; equal values of `hash` show that their plans are the same.
struct CompiledPlan {
    TaskSpec spec;
    std::shared_ptr<const plan::TrainingGraph> training;
    plan::Partition partition;
    std::shared_ptr<const plan::Programs> programs;
    plan::TaskGraph task_graph;
    std::vector<PartPrediction> parts;             ///< multi-task: backbone, trunks and heads
    std::vector<std::string> cuts;                 ///< name of the node before each cut
    std::vector<std::int32_t> cut_indices;         ///< the same cuts as indices into the legal cuts
    std::vector<search::StageCount> stage_counts;  ///< if the number of stages was open: the gain of each number
    std::vector<std::string> stage_nodes;          ///< required node of each stage; "" or none: any
    bool any_order = false;                        ///< the search was allowed to use the nodes in any order
    bool all_orders = false;                       ///< all orders of the nodes were considered: none is faster
    std::vector<Bytes> memory;                     ///< estimated memory of each stage
    std::vector<std::string> warnings;
    std::string hash;  ///< hash of the plan, as 16 hexadecimal digits; see hash_of() in compile.cpp

    std::int32_t stage_count() const { return static_cast<std::int32_t>(partition.segments.size()); }
    const graph::Graph& graph() const { return training->graph; }
    /// Returns the training graph in the form that agents/segment needs: a pointer that shares ownership of `training`.
    std::shared_ptr<const graph::Graph> shared_graph() const {
        return std::shared_ptr<const graph::Graph>(training, &training->graph);
    }
    /// Returns the stage that computes the loss, or has a batch task's results. This is the last stage, except in a
    /// block plan with segments that do not lead to the last stage.
    std::int32_t loss_stage() const;
};

/// Returns the task with its compiled plan written out: the cuts or segments by name, and their nodes. Compiling this
/// task needs no search and no knowledge of the cluster, and gives a plan with the same hash.
TaskSpec with_found_plan(const CompiledPlan& plan);

/// Places each stage of the plan on the node that it requires, and the other stages on the nodes in order. Predictions
/// of the plan refer to this placement.
price::Placement placed(const CompiledPlan& plan, const price::NodePool& pool);

/// Returns the bytes of optimizer state per byte of trainable weights, as in plan::TaskGraphOptions.
std::int32_t optimizer_states(const TrainSection& train);

/// Returns whether the task is a training that begins with the weights of a version ([model] from).
bool begins_with_version(const TaskSpec& spec);

/// Returns a hash that is equal for two batch tasks if the same processes can run both tasks. It covers operators,
/// shapes, cuts, programs, device and threads, but not weights, data, result file or place in the queue. Empty if the
/// task is not a batch task or must not be grouped.
std::string group_hash(const CompiledPlan& plan);

/// Returns the number of samples in one micro-batch, to which the caller binds the model's batch dimension.
std::int64_t microbatch_size(const TaskSpec& spec);

/// Returns the heads of a multi-task training by name ([train.losses], except "none"). Empty for a training with one
/// loss.
std::vector<plan::HeadLoss> head_losses(const TrainSection& train);

/// Returns the data column that a head's loss reads. [model.targets] may map it. Otherwise it is the column of the
/// head's name (csv), "target/NAME" (synthetic) or "target".
std::string target_column(const TaskSpec& spec, const std::string& head);

struct CompileOptions {
    std::string task;                             ///< task name in SIDs; empty: the spec's name
    std::int64_t eval_microbatches = 0;           ///< micro-batches per evaluation, if the spec leaves the number to
                                                  ///< the data
    std::vector<plan::StageCapacity> capacities;  ///< one per stage; empty: the memory of `devices`, if known
    price::NodePool devices;                      ///< nodes for the plan, see choose_split(); their memory is checked
    /// The cluster's secure nodes, for sensitive operators. If not given, the secure nodes of a complete pool are used.
    /// If the pool is not complete either, sensitive operators are not checked.
    std::optional<std::vector<std::string>> secure_nodes;
    search::StopSearch stop;  ///< stop request, see choose_split()
};

/// Compiles a task. `model` must be canonical, with shapes inferred for microbatch_size(spec) samples; frozen weights
/// are marked here. Pure and deterministic. Fails as check_against_model() and the plan checks do.
Result<CompiledPlan> compile(const TaskSpec& spec, const graph::Graph& model, const CompileOptions& options = {});

}  // namespace divisi::task
