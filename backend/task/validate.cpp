// SPDX-License-Identifier: Apache-2.0
#include "backend/task/validate.h"

#include <algorithm>

#include "backend/search/business_segmentation.h"
#include "backend/search/layers.h"
#include "backend/search/segmentation_request.h"
#include "backend/task/compile.h"
#include "backend/task/error_texts.h"
#include "backend/task/place_rules.h"
#include "backend/task/predict_step.h"
#include "backend/task/suggest.h"

namespace divisi::task {
namespace {

std::vector<std::string> input_names(const graph::Graph& model) {
    std::vector<std::string> names;
    for (const graph::ValueIndex input : model.inputs) names.push_back(model.values[input].name);
    return names;
}

Result<search::LayerPlan> listed_cuts(const search::SegmentationRequest& request, const graph::Graph& model,
                                      const graph::CutList& cuts) {
    search::LayerPlan plan;
    DIVISI_ASSIGN(plan.cuts, plan::choose_cuts(model, cuts, request.cuts));
    if (request.strategy != "layer") return plan;
    DIVISI_ASSIGN(const std::int32_t forbidden, search::forbidden_cut(model, cuts, plan.cuts, request.together));
    if (forbidden >= 0)
        return make_error(error_text("cut-inside-group"),
                          "the cut after node '" + model.nodes[cuts.legal[forbidden]].name + "'");
    return plan;
}

Result<search::LayerPlan> found_cuts(const TaskSpec& spec, const search::LayerTask& task) {
    search::SegmentationRequest request = spec.split;
    if (!search::stages_are_open(request) && request.stages <= 1) {
        request.stages = 1;
        if (task.constraints.pins.empty() && task.constraints.sensitive.empty()) return search::LayerPlan{};
    }
    if (search::is_searched(request))
        return request.method == "tabu" ? search::tabu_layers(task, request) : search::optimal_layers(task, request);
    const double slack = request.method == "equal-flops" ? search::equal_flops_slack : 0;
    if (task.constraints.pins.empty() && task.constraints.sensitive.empty()) {
        DIVISI_ASSIGN(const search::Chain chain,
                      search::rule_chain(task.model, task.cuts, task.pricing.cost(), request));
        return search::plan_layers(chain, request, {}, slack);
    }
    const auto most = static_cast<std::int32_t>(std::max({request.stages, request.least_stages, request.most_stages}));
    DIVISI_ASSIGN(
        const search::PricedChain chain,
        search::constrained_rule_chain(task, request, std::max(most, std::int32_t{search::most_open_stages})));
    return search::plan_on_nodes(chain, task, request, slack);
}

/// Returns the contiguous stages from which the search for a block plan starts. That search enforces all rules.
Result<search::LayerPlan> start_of_blocks(const TaskSpec& spec, search::LayerTask& task, bool known) {
    task.constraints = {};
    task.constraints.stages = spec.place.stages;
    search::SegmentationRequest request = spec.split;
    request.together.clear();
    if (known)
        if (auto best = search::optimal_layers(task, request); best.ok()) return best;
    DIVISI_ASSIGN(const search::Chain chain, search::rule_chain(task.model, task.cuts, task.pricing.cost(), request));
    return search::plan_layers(chain, request, {}, search::equal_flops_slack);
}

}  // namespace

Result<void> check_inputs(const TaskSpec& spec, const graph::Graph& model) {
    const std::vector<std::string> names = input_names(model);
    for (const auto& [input, column] : spec.model.inputs)
        if (std::find(names.begin(), names.end(), input) == names.end())
            return make_error(error_text("no-input-of-model"), "model.inputs", {input, suggest(input, names)});
    const bool made_to_fit = spec.data.kind == "synthetic";
    for (const std::string& name : names)
        if (names.size() > 1 && !made_to_fit && !spec.model.inputs.contains(name))
            return make_error(error_text("input-without-column"), "model.inputs", {name});
    const std::int64_t samples = microbatch_size(spec);
    for (const graph::ValueIndex input : model.inputs) {
        const graph::Value& value = model.values[input];
        if (!value.shape || value.shape->empty() || !value.shape->front().known()) continue;
        const std::int64_t size = value.shape->front().size;
        if (size == samples) continue;
        return make_error(error_text("input-of-fixed-batch"), "train.microbatches",
                          {value.name, std::to_string(size), std::to_string(samples)});
    }
    return {};
}

namespace {

/// Returns the model with its frozen weights marked.
Result<graph::Graph> freeze(const TaskSpec& spec, graph::Graph model) {
    for (const std::string& pattern : spec.model.frozen) {
        bool found = false;
        std::vector<std::string> trainable;
        for (graph::Initializer& initializer : model.initializers) {
            const std::string& name = model.values[initializer.value].name;
            if (graph::is_floating(model.values[initializer.value].dtype)) trainable.push_back(name);
            if (!plan::name_matches(name, pattern)) continue;
            initializer.trainable = false;
            found = true;
        }
        if (!found)
            return make_error(error_text("no-weight-of-model"), "model.frozen", {pattern, suggest(pattern, trainable)});
    }
    return model;
}

}  // namespace

Result<plan::BranchedModel> trained_model(const TaskSpec& spec, const graph::Graph& model) {
    plan::BranchedModel trained;
    DIVISI_ASSIGN(trained.graph, freeze(spec, model));
    std::vector<std::string> outputs;
    for (const plan::HeadLoss& head : head_losses(spec.train)) outputs.push_back(head.output);
    if (outputs.empty()) return trained;
    return plan::keep_heads(trained.graph, outputs);
}

Result<plan::TrainingGraph> add_loss(const TaskSpec& spec, const graph::Graph& trained) {
    DIVISI_ASSIGN(const plan::Loss loss, plan::parse_loss(spec.train.loss));
    return plan::make_training_graph(trained, {loss, spec.model.output, spec.data.classes, head_losses(spec.train),
                                               is_batch(spec), spec.batch.labels});
}

Result<search::LayerPlan> place_layers(const TaskSpec& spec, search::LayerTask task,
                                       const plan::TrainingGraph& training, const plan::CutChoice& choice) {
    DIVISI_ASSIGN(task.constraints, cut_constraints(spec, training, task.pool));
    return search::place_cuts(task, choice);
}

price::NodePool known_pool(const TaskSpec& spec, const price::NodePool& pool) {
    if (pool) return pool;
    price::NodePool guessed = price::default_pool(spec.place.device, static_cast<double>(spec.place.threads));
    guessed.wanted = spec.place.stages;
    guessed.assign_names(spec.place.stages);
    guessed.assign_names({spec.place.data});
    for (const auto& [pattern, node] : spec.place.pins) guessed.assign_names({node});
    return guessed;
}

Result<search::LayerPlan> choose_split(const TaskSpec& spec, const plan::BranchedModel& trained,
                                       const graph::CutList& cuts, const plan::TrainingGraph& training,
                                       const graph::GraphCost& cost, const price::NodePool& pool,
                                       const search::StopSearch& stop) {
    const auto find = [&]() -> Result<search::LayerPlan> {
        if (!spec.split.cuts.empty()) return listed_cuts(spec.split, trained.graph, cuts);
        price::Pricing pricing(training, cost);
        const price::NodePool nodes = known_pool(spec, pool);
        DIVISI_ASSIGN(price::CutConstraints constraints, cut_constraints(spec, training, nodes));
        search::LayerTask task{trained.graph, cuts, pricing, nodes, std::move(constraints), training_setup(spec)};
        task.stop = stop;
        task.data_instances = static_cast<std::int32_t>(spec.data.instances);
        if (spec.split.strategy == "block") return start_of_blocks(spec, task, bool{pool});
        if (spec.split.strategy == "business") return search::plan_branches(task, trained, spec.split);
        return found_cuts(spec, task);
    };
    auto plan = find();
    if (plan.ok() && pool && !plan->nodes_matter && spec.place.stages.empty() && spec.split.strategy != "block") {
        // Cuts that were not searched for these nodes get the best nodes of the pool. Later checks report problems.
        price::Pricing pricing(training, cost);
        search::LayerTask task{trained.graph, cuts, pricing, pool, {}, training_setup(spec)};
        task.data_instances = static_cast<std::int32_t>(spec.data.instances);
        if (auto placed = place_layers(spec, task, training, plan->cuts); placed.ok() && placed->nodes_matter) {
            plan->nodes = std::move(placed->nodes);
            plan->nodes_matter = true;
            plan->all_orders = placed->all_orders;
        }
    }
    if (plan.ok()) return plan;
    Error error = std::move(plan).error();
    if (error.where.starts_with("split.") || error.where.starts_with("place.")) return error;
    const bool listed = !spec.split.cuts.empty();
    if (listed) {
        const std::string subject = error.where + ":";
        error = about(subject, std::move(error));
    }
    error.where = listed ? "split.cuts" : "split.stages";
    return error;
}

Result<plan::Blocks> choose_blocks(const TaskSpec& spec, const plan::TrainingGraph& training) {
    std::vector<std::vector<std::string>> lists;
    for (const SegmentSpec& segment : spec.split.segments) lists.push_back(segment.nodes);
    DIVISI_ASSIGN(const auto block_of, plan::match_operators(training.graph, training.model_nodes, lists));
    return plan::make_blocks(training, block_of, static_cast<std::int32_t>(lists.size()));
}

Result<search::Distance> split_distance(const TaskSpec& spec, const graph::Graph& model, const plan::CutChoice& choice,
                                        const price::NodePool& pool) {
    DIVISI_ASSIGN(const plan::BranchedModel trained, trained_model(spec, model));
    DIVISI_ASSIGN(const plan::TrainingGraph training, add_loss(spec, trained.graph));
    const graph::CutList cuts = graph::find_cuts(trained.graph);
    const graph::GraphCost cost(training.graph);
    price::Pricing pricing(training, cost);
    const price::NodePool nodes = known_pool(spec, pool);
    price::CutConstraints constraints;
    constraints.stages = spec.place.stages;
    return search::distance_from_optimum({trained.graph, cuts, pricing, nodes, constraints, training_setup(spec)},
                                         spec.split, choice,
                                         nodes.order(static_cast<std::int32_t>(choice.size()) + 1, nodes.wanted));
}

Result<void> check_against_model(const TaskSpec& spec, const graph::Graph& model) {
    DIVISI_TRY(check_inputs(spec, model));
    DIVISI_ASSIGN(const plan::BranchedModel trained, trained_model(spec, model));
    DIVISI_ASSIGN(const plan::TrainingGraph training, add_loss(spec, trained.graph));
    if (spec.split.segments.empty())
        DIVISI_TRY(
            choose_split(spec, trained, graph::find_cuts(trained.graph), training, graph::GraphCost(training.graph)));
    else DIVISI_TRY(choose_blocks(spec, training));
    return {};
}

}  // namespace divisi::task
