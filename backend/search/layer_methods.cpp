// SPDX-License-Identifier: Apache-2.0
#include "backend/search/layer_methods.h"

#include <algorithm>
#include <limits>

#include "backend/price/landscape.h"
#include "backend/search/tabu.h"

namespace divisi::search {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Sweeps over all cuts before the tabu moves; more hardly gain, and each makes a landscape for every cut.
constexpr int most_sweeps = 6;

/// The cuts as segments on these nodes, simulated; infinite where they are not allowed or do not fit.
double simulated_ms(const LayerTask& task, const plan::CutChoice& choice, const std::vector<std::int32_t>& nodes) {
    const auto segments = plan::segments_from_cuts(task.model, task.cuts, choice, task.pricing.training());
    if (!segments.ok()) return infinite;
    const auto partition = plan::make_partition(task.pricing.graph(), *segments);
    if (!partition.ok()) return infinite;
    const auto prediction = price::predict(task.pricing, *partition, task.pool.place(nodes), task.setup);
    if (!prediction.ok()) return infinite;
    for (const price::PredictedStage& stage : prediction->stages)
        if (!stage.fits()) return infinite;
    return prediction->step_ms;
}

bool allowed(const Chain& chain, const std::vector<std::int32_t>& order, const plan::CutChoice& choice) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= choice.size(); ++i) {
        const std::size_t end = i < choice.size() ? static_cast<std::size_t>(choice[i]) + 1 : chain.positions() - 1;
        if (!may_reach(chain, order[i], begin, end)) return false;
        if (i < choice.size() && chain.crossing_ms.front()[end] == infinite) return false;
        begin = end;
    }
    return true;
}

/// The best place of a cut in its landscape, by what is allowed; where it is if there is none.
plan::CutChoice best_placed(const price::Landscape& landscape, const Chain& chain, const LayerPlan& plan) {
    plan::CutChoice best = plan.cuts, tried = plan.cuts;
    double least = infinite;
    for (std::size_t legal = 0; legal < landscape.positions.size(); ++legal) {
        const price::LandscapePosition& position = landscape.positions[legal];
        if (position.obstacle != price::Obstacle::none || position.step_s >= least) continue;
        tried[static_cast<std::size_t>(landscape.moving)] = static_cast<std::int32_t>(legal);
        if (!allowed(chain, plan.devices, tried)) continue;
        best = tried;
        least = position.step_s;
    }
    return best;
}

/// Moves one cut after the other to the best place of its landscape until none makes the step faster; the nodes stay.
plan::CutChoice descend(const LayerTask& task, const Chain& chain, LayerPlan plan, const CutPrice& price) {
    const price::Placement placement = task.pool.place(plan.nodes);
    double step_ms = plan.start_step_ms;
    bool gained = true;
    for (int sweep = 0; gained && sweep < most_sweeps; ++sweep) {
        gained = false;
        for (std::size_t i = 0; i < plan.cuts.size(); ++i) {
            if (task.watch && !task.watch({0, plan.cuts, step_ms})) return plan.cuts;
            const price::MovingCut moving{task.cuts, plan.cuts, static_cast<std::int32_t>(i)};
            const auto landscape = price::make_landscape(task.pricing, moving, placement, task.setup);
            if (!landscape.ok()) return plan.cuts;
            plan::CutChoice moved = best_placed(*landscape, chain, plan);
            const double moved_ms = moved == plan.cuts ? infinite : price(moved);
            if (moved_ms >= step_ms) continue;
            plan.cuts = std::move(moved);
            step_ms = moved_ms;
            gained = true;
        }
    }
    return plan.cuts;
}

/// The most stages that the request allows.
std::int32_t most_wanted(const LayerTask& task, const SegmentationRequest& request) {
    if (request.stages > 0) return static_cast<std::int32_t>(request.stages);
    const std::int64_t most =
        request.most_stages > 0 ? request.most_stages : std::max(request.least_stages, most_open_stages);
    return static_cast<std::int32_t>(std::min(most, static_cast<std::int64_t>(task.cuts.legal.size()) + 1));
}

}  // namespace

Result<LayerPlan> optimal_layers(const LayerTask& task, const SegmentationRequest& request) {
    DIVISI_ASSIGN(const PricedChain priced, priced_chain(task, request, most_wanted(task, request)));
    return plan_on_nodes(priced, task, request);
}

Result<LayerPlan> tabu_layers(const LayerTask& task, const SegmentationRequest& request) {
    DIVISI_ASSIGN(const PricedChain priced, priced_chain(task, request, most_wanted(task, request)));
    DIVISI_ASSIGN(LayerPlan plan, plan_on_nodes(priced, task, request));
    bool stopped = false;
    const auto is_stopped = [&] { return stopped = stopped || (task.stop && task.stop()); };
    const auto price = [&](const plan::CutChoice& choice) {
        return !is_stopped() && allowed(priced.chain, plan.devices, choice) ? simulated_ms(task, choice, plan.nodes)
                                                                            : infinite;
    };
    plan.start_step_ms = price(plan.cuts);
    const plan::CutChoice start = descend(task, priced.chain, plan, price);
    const auto watch = [&](const TabuResult& so_far) {
        const double done = static_cast<double>(so_far.iterations) / static_cast<double>(request.tabu_iterations);
        return !is_stopped() && (!task.watch || task.watch({done, so_far.cuts, so_far.price}));
    };
    TabuResult found = tabu_search(start, static_cast<std::int32_t>(task.cuts.legal.size()), price, request, watch);
    if (stopped)
        return Error{ErrorCode::deadline,
                     "= " + std::to_string(request.tabu_iterations) + " take too long: the search was ended at " +
                         std::to_string(found.iterations),
                     "split.tabu_iterations", "lower it, or split.tabu_neighbourhood"};
    plan.cuts = std::move(found.cuts);
    plan.step_ms = found.price;
    return plan;
}

Result<Distance> distance_from_optimum(const LayerTask& task, const SegmentationRequest& request,
                                       const plan::CutChoice& choice, const std::vector<std::int32_t>& nodes) {
    LayerTask free{task.model, task.cuts, task.pricing, task.pool, {}, task.setup};
    free.constraints.stages = task.constraints.stages;
    SegmentationRequest same = request;
    same.stages = static_cast<std::int64_t>(choice.size()) + 1;
    same.cuts.clear();
    same.together.clear();
    same.least_layers = same.most_layers = 0;
    DIVISI_ASSIGN(PricedChain priced, priced_chain(free, same, static_cast<std::int32_t>(same.stages)));
    priced.devices.memory_bytes = nullptr;
    DIVISI_ASSIGN(const LayerPlan best, plan_layers(priced.chain, same, priced.devices));
    std::vector<std::int32_t> order;
    for (const std::int32_t node : nodes) {
        const auto at = std::find(priced.nodes.begin(), priced.nodes.end(), node);
        order.push_back(at == priced.nodes.end() ? 0 : priced.devices.order[at - priced.nodes.begin()]);
    }
    const double slowest = slowest_ms(priced.chain, order, choice);
    return Distance{slowest, std::min(slowest, best.slowest)};
}

}  // namespace divisi::search
