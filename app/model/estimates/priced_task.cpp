// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/estimates/priced_task.h"

#include <algorithm>

#include "backend/price/landscape.h"
#include "backend/task/parse.h"
#include "backend/task/place_rules.h"
#include "backend/task/predict_step.h"
#include "backend/task/validate.h"

namespace divisi::model {

namespace {

Result<std::unique_ptr<PricedTask>> price_operators(const ModelPtr& model, const task::TaskSpec& spec) {
    auto priced = std::make_unique<PricedTask>();
    priced->model = model;
    priced->task = cache_key(spec);
    DIVISI_ASSIGN(plan::BranchedModel trained, task::trained_model(spec, model->graph));
    if (!std::ranges::equal(trained.graph.nodes, model->graph.nodes, {}, &graph::Node::name, &graph::Node::name))
        return Error{ErrorCode::unsupported, "the task trains other operators, or in another order, than shown",
                     "train.losses", "see 'divisictl plan' for its prices"};
    priced->graph = std::move(trained.graph);
    DIVISI_ASSIGN(plan::TrainingGraph training, task::add_loss(spec, priced->graph));
    priced->cuts = graph::find_cuts(priced->graph);
    priced->training = std::make_unique<plan::TrainingGraph>(std::move(training));
    priced->cost = std::make_unique<graph::GraphCost>(priced->training->graph);
    priced->pricing = std::make_unique<price::Pricing>(*priced->training, *priced->cost);
    priced->setup = task::training_setup(spec);
    priced->data_instances = static_cast<std::int32_t>(spec.data.instances);
    return priced;
}

Result<void> take_nodes(const TaskToPrice& task, PricedTask& priced) {
    priced.pool = task::known_pool(task.spec, task.pool);
    DIVISI_ASSIGN(priced.constraints, task::cut_constraints(task.spec, *priced.training, priced.pool));
    priced.cluster = task.cluster;
    return {};
}

}  // namespace

std::string cache_key(task::TaskSpec spec) {
    spec.task = {};
    spec.data.path = spec.data.validation = spec.data.labels = {};
    spec.split.strategy = search::SegmentationRequest().strategy;
    spec.split.method = search::SegmentationRequest().method;
    spec.split.stages = spec.split.least_stages = spec.split.most_stages = 0;
    spec.split.cuts.clear();
    spec.split.segments.clear();
    return task::print_task(spec);
}

price::Placement PricedTask::place(const Cuts& choice) const {
    const auto placed = search::place_cuts(layers(), choice);
    const std::vector<std::int32_t> order =
        placed.ok() ? placed->nodes : pool.order(static_cast<std::int32_t>(choice.size()) + 1, pool.wanted);
    price::Placement placement = pool.place(order);
    placement.dealt = pool.place_data(order, data_instances);
    return placement;
}

Result<price::Prediction> PricedTask::predict(const Cuts& choice, const price::Placement& placement) const {
    return price::predict_cuts(*pricing, graph, cuts, choice, placement, setup);
}

Result<void> price_task(const TaskToPrice& task, std::unique_ptr<PricedTask>& kept) {
    if (kept && kept->model == task.model && kept->task == cache_key(task.spec)) {
        if (kept->cluster != task.cluster) DIVISI_TRY(take_nodes(task, *kept));
        return {};
    }
    kept.reset();
    DIVISI_ASSIGN(auto priced, price_operators(task.model, task.spec));
    DIVISI_TRY(take_nodes(task, *priced));
    kept = std::move(priced);
    return {};
}

}  // namespace divisi::model
