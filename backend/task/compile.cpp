// SPDX-License-Identifier: Apache-2.0
#include "backend/task/compile.h"

#include <algorithm>
#include <numeric>

#include "backend/base/hash.h"
#include "backend/plan/checks.h"
#include "backend/plan/gradient_order.h"
#include "backend/search/business_segmentation.h"
#include "backend/task/block_plan.h"
#include "backend/task/error_texts.h"
#include "backend/task/parse.h"
#include "backend/task/place_rules.h"
#include "backend/task/validate.h"

namespace divisi::task {
namespace {

/// fits into 32 bits together with the micro-batches of the step
constexpr std::int64_t most_eval_microbatches = std::int64_t{1} << 30;

plan::RunLength run_length(const TaskSpec& spec, const CompileOptions& options) {
    plan::RunLength length;
    length.microbatches = static_cast<std::int32_t>(spec.train.microbatches);
    if (is_batch(spec)) length.batch_samples = spec.train.batch;
    if (length.over_data()) return length;
    length.last_step = spec.train.steps;
    length.eval_every = spec.train.eval_every;
    // The data may have fewer micro-batches. The process that opens the data reports the number when the run begins
    // (Begin).
    const std::int64_t evaluated =
        spec.train.eval_batches > 0 ? spec.train.eval_batches * spec.train.microbatches : options.eval_microbatches;
    length.eval_microbatches = static_cast<std::int32_t>(std::min(evaluated, most_eval_microbatches));
    return length;
}

std::vector<graph::NodeIndex> all_nodes(const graph::Graph& graph) {
    std::vector<graph::NodeIndex> nodes(graph.nodes.size());
    std::iota(nodes.begin(), nodes.end(), 0);
    return nodes;
}

std::vector<PartPrediction> predict_parts(const TaskSpec& spec, const plan::BranchedModel& trained,
                                          const plan::TrainingGraph& training,
                                          const std::vector<plan::Segment>& segments) {
    if (trained.branches.empty()) return {};
    const graph::Graph& graph = trained.graph;
    const graph::GraphCost cost(training.graph);
    const auto microbatches = static_cast<double>(spec.train.microbatches);
    const double whole = plan::segment_flops(cost, all_nodes(training.graph)) * microbatches;
    std::vector<PartPrediction> parts;
    for (const plan::Branch& branch : trained.branches) {
        PartPrediction& part = parts.emplace_back();
        part.name = trained.name(branch);
        const std::vector<graph::NodeIndex> nodes = search::branch_nodes(branch, training);
        part.flops = plan::segment_flops(cost, nodes) * microbatches;
        part.flops_share = whole > 0 ? part.flops / whole : 0;
        for (std::size_t stage = 0; stage < segments.size(); ++stage) {
            const auto& here = segments[stage].nodes;
            const bool meets = std::any_of(here.begin(), here.end(), [&](graph::NodeIndex node) {
                return std::binary_search(nodes.begin(), nodes.end(), node);
            });
            if (meets) part.stages.push_back(static_cast<std::int32_t>(stage));
        }
        for (graph::NodeIndex node = branch.first; node < branch.last; ++node)
            for (const graph::ValueIndex output : graph.nodes[node].outputs)
                if (output != graph::no_value && !graph.values[output].consumers.empty() &&
                    graph.values[output].consumers.back() >= branch.last)
                    part.shared_values.push_back(graph.values[output].name);
    }
    return parts;
}

/// Checks that place.stages names one node per stage. The number of stages of a business segmentation is known only
/// now.
Result<void> check_placement(const CompiledPlan& compiled) {
    const auto named = static_cast<std::int32_t>(compiled.spec.place.stages.size());
    if (named == 0 || named == compiled.stage_count()) return {};
    return make_error(error_text("placed-nodes-not-per-stage"), "place.stages",
                      {std::to_string(named), std::to_string(compiled.stage_count())});
}

/// Refuses node names that a complete pool does not have.
Result<void> check_nodes(const PlaceSection& place, const price::NodePool& pool) {
    if (!pool.complete) return {};
    std::string known;
    for (const price::PlannedDevice& device : pool.nodes) known += (known.empty() ? "" : ", ") + device.node;
    const auto check = [&](const std::string& name, const char* where) -> Result<void> {
        if (name.empty() || pool.find(name) >= 0) return {};
        return make_error(error_text("no-node-of-this-name"), where, {name, known});
    };
    for (const std::string& name : place.stages) DIVISI_TRY(check(name, "place.stages"));
    return check(place.data, "place.data");
}

/// Hashes everything that two parties must agree on.
class Hasher {
public:
    void add(std::string_view text) { state_ = mix(fnv1a(text, state_), text.size()); }
    void add(std::int64_t number) { state_ = mix(state_, static_cast<std::uint64_t>(number)); }
    void add(const std::vector<std::int32_t>& numbers) {
        add(static_cast<std::int64_t>(numbers.size()));
        for (const std::int32_t number : numbers) add(std::int64_t{number});
    }
    std::string text() const {
        constexpr std::string_view digits = "0123456789abcdef";
        std::string result;
        for (int shift = 60; shift >= 0; shift -= 4) result += digits[(state_ >> shift) & 15];
        return result;
    }

private:
    std::uint64_t state_ = fnv1a("divisi plan 1");
};

void add_graph(Hasher& hasher, const graph::Graph& graph) {
    for (const graph::Node& node : graph.nodes) {
        hasher.add(node.name);
        hasher.add(node.op_type);
        hasher.add(node.inputs);
        hasher.add(node.outputs);
    }
    for (const graph::Value& value : graph.values) {
        hasher.add(static_cast<std::int64_t>(value.dtype));
        if (value.shape)
            for (const graph::Dim& dim : *value.shape) hasher.add(dim.size);
    }
    for (const graph::Initializer& initializer : graph.initializers) {
        hasher.add(std::int64_t{initializer.value});
        hasher.add(std::int64_t{initializer.trainable});
    }
}

void add_program(Hasher& hasher, const plan::Program& program) {
    for (const auto* operations : {&program.training, &program.evaluation}) {
        for (const plan::Operation& operation : *operations) {
            hasher.add(static_cast<std::int64_t>(operation.kind));
            hasher.add(std::int64_t{operation.microbatch});
            hasher.add(operation.inputs);
            hasher.add(operation.outputs);
        }
    }
}

/// Returns the hash of a plan; `spec` is the part of the task that enters the hash. The hash excludes how the split was
/// requested (stages or cuts), where it runs, the reaction to faults, and the number of evaluation micro-batches. A
/// process that receives the cuts by name thus computes the same hash.
std::string hash_of(const CompiledPlan& compiled, TaskSpec spec) {
    Hasher hasher;
    static_cast<search::SegmentationRequest&>(spec.split) = {};
    spec.split.cuts = compiled.cuts;
    spec.split.segments.clear();
    spec.split.recut = SplitSection().recut;
    spec.place = {};
    spec.checkpoint = {};
    spec.faults = {};
    hasher.add(print_task(spec));
    add_graph(hasher, compiled.graph());
    for (const plan::Segment& segment : compiled.partition.segments) hasher.add(segment.nodes);
    for (const plan::Channel& channel : compiled.programs->channels)
        hasher.add({static_cast<std::int32_t>(channel.kind), channel.value, channel.from, channel.to, channel.slots});
    add_program(hasher, compiled.programs->data);
    for (const plan::Program& program : compiled.programs->stages) add_program(hasher, program);
    return hasher.text();
}

/// Returns the segments that the task requests: listed, planned as blocks, or cut. Stores cuts and wanted nodes in
/// `compiled`.
Result<std::vector<plan::Segment>> split_model(const plan::BranchedModel& trained, const plan::TrainingGraph& training,
                                               const CompileOptions& options, CompiledPlan& compiled) {
    const TaskSpec& spec = compiled.spec;
    const price::NodePool& pool = options.devices;
    if (!spec.split.segments.empty()) {
        DIVISI_ASSIGN(auto blocks, choose_blocks(spec, training));
        for (const std::int32_t given : blocks.given) compiled.stage_nodes.push_back(spec.split.segments[given].place);
        return std::move(blocks.segments);
    }
    const graph::CutList cuts = graph::find_cuts(trained.graph);
    const graph::GraphCost cost(training.graph);
    DIVISI_ASSIGN(search::LayerPlan layers, choose_split(spec, trained, cuts, training, cost, pool, options.stop));
    compiled.cut_indices = std::move(layers.cuts);
    compiled.stage_counts = std::move(layers.counts);
    DIVISI_ASSIGN(auto segments, plan::segments_from_cuts(trained.graph, cuts, compiled.cut_indices, training));
    if (spec.split.strategy == "block") {
        DIVISI_ASSIGN(auto planned, plan_blocks(spec, training, cost, {segments, layers.nodes}, pool));
        compiled.cut_indices.clear();
        compiled.stage_nodes = std::move(planned.places);
        return std::move(planned.blocks.segments);
    }
    compiled.stage_nodes = spec.place.stages;
    if (layers.nodes_matter) {
        const price::NodePool nodes = known_pool(spec, pool);
        compiled.stage_nodes.clear();
        for (const std::int32_t node : layers.nodes) compiled.stage_nodes.push_back(nodes.nodes[node].node);
    }
    compiled.any_order = layers.nodes_matter && spec.place.stages.empty();
    compiled.all_orders = layers.all_orders;
    compiled.cuts = plan::cut_names(trained.graph, cuts, compiled.cut_indices);
    return segments;
}

Result<void> check_plan(CompiledPlan& compiled, const plan::PassOrder& order, const graph::GraphCost& cost,
                        const CompileOptions& options) {
    DIVISI_TRY(plan::check_partition(compiled.graph(), compiled.partition));
    DIVISI_TRY(plan::check_deadlock(*compiled.programs, &compiled.graph()));
    const TrainSection& train = compiled.spec.train;
    std::vector<plan::StageMemory> memory;
    for (std::size_t i = 0; i < order.size(); ++i)
        memory.push_back(is_batch(compiled.spec)
                             ? plan::forward_memory(compiled.graph(), cost, compiled.partition.segments[i])
                             : plan::stage_memory(compiled.graph(), cost, compiled.partition.segments[i],
                                                  plan::most_in_flight(order[i]), optimizer_states(train),
                                                  train.recompute));
    for (const plan::StageMemory& stage : memory) compiled.memory.push_back(stage.total());
    std::vector<plan::StageCapacity> capacities = options.capacities;
    if (capacities.empty() && options.devices)
        for (const price::PlannedDevice& device : placed(compiled, options.devices).stages)
            capacities.push_back({device.name, device.memory});
    return plan::check_memory(memory, capacities);
}

}  // namespace

std::int32_t CompiledPlan::loss_stage() const {
    const graph::ValueIndex reported = is_batch(spec) ? training->heads.front().result : training->loss;
    return plan::segment_of(partition, graph().values[reported].producer);
}

TaskSpec with_found_plan(const CompiledPlan& plan) {
    TaskSpec spec = plan.spec;
    if (!spec.split.segments.empty()) return spec;
    const bool placed = std::any_of(plan.stage_nodes.begin(), plan.stage_nodes.end(),
                                    [](const std::string& node) { return !node.empty(); });
    spec.split.least_stages = spec.split.most_stages = 0;
    if (spec.split.strategy != "block") {
        spec.split.cuts = plan.cuts;
        spec.split.stages = plan.cuts.empty() ? 1 : 0;
        if (placed) spec.place.stages = plan.stage_nodes;
        return spec;
    }
    spec.split.stages = 0;
    spec.place.stages.clear();
    for (std::size_t stage = 0; stage < plan.partition.segments.size(); ++stage) {
        SegmentSpec& segment = spec.split.segments.emplace_back();
        if (placed) segment.place = plan.stage_nodes[stage];
        for (const graph::NodeIndex node : plan.partition.segments[stage].nodes) {
            const std::string& name = plan.graph().nodes[node].name;
            if (node < plan.training->model_nodes && !name.starts_with(plan::relay_scope))
                segment.nodes.push_back(name);
        }
    }
    return spec;
}

price::Placement placed(const CompiledPlan& plan, const price::NodePool& pool) {
    const std::vector<std::int32_t> order = pool.order(plan.stage_count(), plan.stage_nodes);
    price::Placement placement = pool.place(order);
    placement.dealt = pool.place_data(order, static_cast<std::int32_t>(plan.spec.data.instances));
    return placement;
}

std::int32_t optimizer_states(const TrainSection& train) {
    if (train.optimizer == "adamw") return 2;
    return train.momentum > 0 ? 1 : 0;
}

bool begins_with_version(const TaskSpec& spec) { return !is_batch(spec) && !spec.model.from.empty(); }

std::string group_hash(const CompiledPlan& plan) {
    if (!is_batch(plan.spec) || !plan.spec.batch.group) return "";
    TaskSpec spec = plan.spec;
    spec.task = {};
    spec.data = {};
    spec.batch = {};
    // Clear the model's origin and the columns that feed it; the graph contains the model itself.
    spec.model.onnx.clear();
    spec.model.from.clear();
    spec.model.inputs.clear();
    spec.model.targets.clear();
    const PlaceSection& place = plan.spec.place;
    return hash_of(plan, std::move(spec)) + " " + place.device + " " + place.precision + " " +
           std::to_string(place.threads);
}

std::int64_t microbatch_size(const TaskSpec& spec) { return spec.train.batch / spec.train.microbatches; }

Result<CompiledPlan> compile(const TaskSpec& spec, const graph::Graph& model, const CompileOptions& options) {
    DIVISI_TRY(check_task(spec));
    DIVISI_TRY(check_inputs(spec, model));
    DIVISI_TRY(check_nodes(spec.place, options.devices));
    DIVISI_ASSIGN(const plan::BranchedModel trained, trained_model(spec, model));
    DIVISI_ASSIGN(plan::TrainingGraph training, add_loss(spec, trained.graph));

    CompiledPlan compiled;
    compiled.spec = spec;
    DIVISI_ASSIGN(auto segments, split_model(trained, training, options, compiled));
    auto secure = options.secure_nodes;
    if (!secure && options.devices.complete) secure = options.devices.secure_nodes();
    DIVISI_ASSIGN(compiled.stage_nodes,
                  place_segments(spec, training, segments, std::move(compiled.stage_nodes), secure));
    compiled.parts = predict_parts(spec, trained, training, segments);
    if (!is_batch(spec)) DIVISI_TRY(plan::keep_gradient_order(training, segments, spec.split.strategy == "block"));
    const graph::GraphCost cost(training.graph);
    DIVISI_ASSIGN(compiled.partition, plan::make_partition(training.graph, std::move(segments)));
    const auto microbatches = static_cast<std::int32_t>(spec.train.microbatches);
    DIVISI_ASSIGN(const plan::PassOrder order,
                  plan::make_pass_order(spec.split.schedule, plan::depths(compiled.partition), microbatches));
    compiled.programs = std::make_shared<const plan::Programs>(
        plan::make_programs(compiled.partition, order, run_length(spec, options), spec.train.clip > 0,
                            static_cast<std::int32_t>(spec.split.slots)));
    compiled.task_graph = plan::make_task_graph(
        training, compiled.partition, *compiled.programs, order, cost,
        {options.task.empty() ? spec.task.name : options.task, optimizer_states(spec.train), spec.train.recompute});
    compiled.warnings = trained.warnings;
    compiled.warnings.insert(compiled.warnings.end(), training.warnings.begin(), training.warnings.end());
    compiled.training = std::make_shared<const plan::TrainingGraph>(std::move(training));
    DIVISI_TRY(check_placement(compiled));
    DIVISI_TRY(check_plan(compiled, order, cost, options));
    compiled.hash = hash_of(compiled, compiled.spec);
    return compiled;
}

}  // namespace divisi::task
