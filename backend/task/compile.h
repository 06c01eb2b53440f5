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

/// Everything that follows from a task file and its model. Orchestrator, instances, divisictl and the
/// console compile it each for themselves; `hash` shows that they mean the same plan.
struct CompiledPlan {
    TaskSpec spec;
    std::shared_ptr<const plan::TrainingGraph> training;
    plan::Partition partition;
    std::shared_ptr<const plan::Programs> programs;
    plan::TaskGraph task_graph;
    std::vector<PartPrediction> parts;             ///< multi-task: backbone, trunks and heads
    std::vector<std::string> cuts;                 ///< names of the nodes that the cuts follow
    std::vector<std::int32_t> cut_indices;         ///< the same as indices into the legal cuts
    std::vector<search::StageCount> stage_counts;  ///< where the number of stages was open: what each would buy
    std::vector<std::string> stage_nodes;          ///< where the task or the search wants each; "" or none: anywhere
    bool any_order = false;                        ///< the nodes were searched for in any order
    bool all_orders = false;                       ///< and no order is faster
    std::vector<Bytes> memory;                     ///< that each stage takes, as estimated
    std::vector<std::string> warnings;
    std::string hash;  ///< 16 hexadecimal digits over cuts, channels and programs

    std::int32_t stage_count() const { return static_cast<std::int32_t>(partition.segments.size()); }
    const graph::Graph& graph() const { return training->graph; }
    /// The training graph as agents/segment wants it: shared, alive as long as the plan.
    std::shared_ptr<const graph::Graph> shared_graph() const {
        return std::shared_ptr<const graph::Graph>(training, &training->graph);
    }
    /// The stage that computes the loss, or has a batch's results: the last, but for a block plan with segments that do
    /// not lead to it.
    std::int32_t loss_stage() const;
};

/// The task with the cuts or segments by name that its compiled plan has, and the nodes that they are for, so that
/// whoever compiles it need not search again, nor know the cluster. The hash of the plan is the same.
TaskSpec with_found_plan(const CompiledPlan& plan);

/// The pool's nodes as the plan's stages want them, else in turn: what predictions of the plan are for.
price::Placement placed(const CompiledPlan& plan, const price::NodePool& pool);

/// Bytes of optimizer state per byte of trainable weights, as in plan::TaskGraphOptions.
std::int32_t optimizer_states(const TrainSection& train);

/// Whether it is a training that begins with the weights of a version ([model] from).
bool begins_with_version(const TaskSpec& spec);

/// What two batches have in common whose processes can do both: operators, shapes, cuts, programs, device and threads,
/// whatever their data, file of results and turn are. It knows no weights. Empty where the task is no batch, or is not
/// to be grouped.
std::string group_hash(const CompiledPlan& plan);

/// Samples of one micro-batch: what the caller binds the model's batch dimension to.
std::int64_t microbatch_size(const TaskSpec& spec);

/// Heads of a multi-task training ([train.losses] but for "none"), by name; empty for a training with one loss.
std::vector<plan::HeadLoss> head_losses(const TrainSection& train);

/// The data column that a head's loss reads: as [model.targets] maps it, else the column of the head's name (csv),
/// "target/NAME" (synthetic) or "target".
std::string target_column(const TaskSpec& spec, const std::string& head);

struct CompileOptions {
    std::string task;                             ///< task name in SIDs; empty: the spec's name
    std::int64_t eval_microbatches = 0;           ///< of one evaluation, when the spec leaves it to the data
    std::vector<plan::StageCapacity> capacities;  ///< per stage; empty: those of `devices`, if they are known
    price::NodePool devices;                      ///< where it would run, see choose_split(); its memory is checked
    /// Of the cluster, for sensitive operators; not known: those of a complete pool, else nothing is said.
    std::optional<std::vector<std::string>> secure_nodes;
    search::StopSearch stop;  ///< see choose_split()
};

/// Compiles a task. `model` is canonical, with shapes inferred for microbatch_size(spec) samples; frozen
/// weights are marked here. Pure and deterministic. Fails as check_against_model() and the plan checks do.
Result<CompiledPlan> compile(const TaskSpec& spec, const graph::Graph& model, const CompileOptions& options = {});

}  // namespace divisi::task
