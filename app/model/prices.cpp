// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/prices.h"

#include <algorithm>
#include <map>

#include "backend/plan/layer_methods.h"
#include "backend/task/parse.h"
#include "backend/task/placement.h"
#include "backend/task/predict_step.h"
#include "backend/task/validate.h"

namespace divisi::model {

namespace {

/// Sweeps over all cuts of the search for the fastest plan; each moves every cut to the best place of its landscape.
constexpr int most_sweeps = 6;

/// What of a task changes prices; cuts, name and data do not.
std::string essence(task::TaskSpec spec) {
    spec.task = {};
    spec.data.path = spec.data.validation = spec.data.labels = {};
    const std::string schedule = spec.split.schedule;
    const std::vector<std::string> together = spec.split.together, sensitive = spec.split.sensitive;
    spec.split = {};
    spec.split.schedule = schedule;
    spec.split.together = together;
    spec.split.sensitive = sensitive;
    return task::print_task(spec);
}

}  // namespace

/// What the questions about one task have in common.
struct Pricer::Kept {
    ModelPtr model;
    std::string task;
    graph::Graph graph;  ///< the model's, with its frozen weights marked
    graph::CutList cuts;
    std::unique_ptr<plan::TrainingGraph> training;
    std::unique_ptr<graph::GraphCost> cost;
    std::unique_ptr<plan::Pricing> pricing;
    plan::TrainingSetup setup;
    plan::NodePool pool;
    plan::CutConstraints constraints;
    std::uint64_t cluster = 0;

    plan::LayerTask layers() const { return {graph, cuts, *pricing, pool, constraints, setup}; }
    /// Where the stages of these cuts would run.
    plan::Placement place(const Cuts& choice) const {
        const auto placed = plan::place_cuts(layers(), choice);
        if (placed.ok()) return pool.place(placed->nodes);
        return pool(static_cast<std::int32_t>(choice.size()) + 1);  // what breaks the rules has its price, too
    }
    Result<void> take_nodes(const PriceQuestion& question);
    std::map<std::int32_t, std::pair<Cuts, double>> optima;  ///< by number of stages: cuts, step in ms
};

Result<void> Pricer::Kept::take_nodes(const PriceQuestion& question) {
    pool = task::known_pool(question.spec, question.pool);
    DIVISI_ASSIGN(constraints, task::cut_constraints(question.spec, *training, pool));
    cluster = question.cluster;
    return {};
}

Pricer::Pricer() = default;
Pricer::~Pricer() = default;

Result<Pricer::Kept*> Pricer::keep(const PriceQuestion& question) {
    std::string task = essence(question.spec);
    if (kept_ && kept_->model == question.model && kept_->task == task) {
        if (kept_->cluster != question.cluster) {
            kept_->optima.clear();
            DIVISI_TRY(kept_->take_nodes(question));
        }
        return kept_.get();
    }
    auto kept = std::make_unique<Kept>();
    kept->model = question.model;
    kept->task = std::move(task);
    DIVISI_ASSIGN(plan::BranchedModel trained, task::trained_model(question.spec, question.model->graph));
    // A cut on screen must be the same cut of what trains.
    if (!std::ranges::equal(trained.graph.nodes, question.model->graph.nodes, {}, &graph::Node::name,
                            &graph::Node::name))
        return Error{ErrorCode::unsupported, "the task trains other operators, or in another order, than are shown",
                     "train.losses", "see 'divisictl plan' for its prices"};
    kept->graph = std::move(trained.graph);
    DIVISI_ASSIGN(plan::TrainingGraph training, task::add_loss(question.spec, kept->graph));
    kept->cuts = graph::find_cuts(kept->graph);
    kept->training = std::make_unique<plan::TrainingGraph>(std::move(training));
    kept->cost = std::make_unique<graph::GraphCost>(kept->training->graph);
    kept->pricing = std::make_unique<plan::Pricing>(*kept->training, *kept->cost);
    kept->setup = task::training_setup(question.spec);
    DIVISI_TRY(kept->take_nodes(question));
    kept_ = std::move(kept);
    return kept_.get();
}

Result<void> Pricer::find_optimum(const PriceQuestion& question, Kept& kept, Prices& prices) {
    const auto stages = static_cast<std::int32_t>(question.cuts.size()) + 1;
    if (const auto known = kept.optima.find(stages); known != kept.optima.end()) {
        std::tie(prices.optimum.emplace(), prices.optimum_ms) = known->second;
    }
    const auto step_ms = [&](const Cuts& cuts) -> Result<double> {
        DIVISI_ASSIGN(const plan::Prediction prediction,
                      plan::predict_cuts(*kept.pricing, kept.graph, kept.cuts, cuts, kept.place(cuts), kept.setup));
        return prediction.step_ms;
    };
    Cuts best = question.cuts;
    double best_ms = prices.prediction.step_ms;
    if (prices.optimum && prices.optimum_ms <= best_ms) return {};
    // The exact optimum of the slowest resource, then by simulated time from there and from the cuts in place.
    std::vector<Cuts> starts{question.cuts};
    plan::SegmentationRequest request;
    request.method = "optimal";
    request.stages = stages;
    request.together = question.spec.split.together;
    const auto exact = plan::optimal_layers(kept.layers(), request);
    if (exact.ok()) starts.push_back(exact->cuts);
    for (Cuts cuts : starts) {
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            const Cuts before = cuts;
            for (std::size_t i = 0; i < cuts.size(); ++i) {
                DIVISI_ASSIGN(const plan::Landscape landscape,
                              plan::make_landscape(*kept.pricing, {kept.cuts, cuts, static_cast<std::int32_t>(i)},
                                                   kept.place(cuts), kept.setup, kept.constraints));
                if (landscape.best() >= 0) cuts[i] = landscape.best();
            }
            if (cuts == before) break;
        }
        DIVISI_ASSIGN(const double found_ms, step_ms(cuts));
        if (found_ms < best_ms) {
            best = cuts;
            best_ms = found_ms;
        }
    }
    kept.optima[stages] = {best, best_ms};
    prices.optimum = std::move(best);
    prices.optimum_ms = best_ms;
    return {};
}

Prices Pricer::answer(const PriceQuestion& question) {
    Prices prices;
    prices.cuts = question.cuts;
    prices.painting = question.painting;
    const auto work = [&]() -> Result<void> {
        DIVISI_ASSIGN(Kept* const kept, keep(question));
        if (question.painting) return price_painting(question, *kept->training, kept->setup, prices);
        prices.placement = kept->place(question.cuts);
        DIVISI_ASSIGN(prices.prediction, plan::predict_cuts(*kept->pricing, kept->graph, kept->cuts, question.cuts,
                                                            prices.placement, kept->setup));
        if (question.moving >= 0 && question.moving < static_cast<int>(question.cuts.size())) {
            DIVISI_ASSIGN(prices.landscape,
                          plan::make_landscape(*kept->pricing, {kept->cuts, question.cuts, question.moving},
                                               prices.placement, kept->setup, kept->constraints));
            prices.moving = question.moving;
            for (std::int32_t i = 0; i < static_cast<std::int32_t>(prices.landscape->positions.size()); ++i)
                prices.obstacles.push_back(QString::fromStdString(
                    plan::explain(*prices.landscape, i, kept->graph, prices.placement, kept->constraints)));
        }
        if (question.optimum && !question.cuts.empty()) DIVISI_TRY(find_optimum(question, *kept, prices));
        return {};
    };
    if (const auto done = work(); !done.ok()) prices.problem = QString::fromStdString(done.error().message());
    return prices;
}

}  // namespace divisi::model
