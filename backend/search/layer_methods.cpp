// SPDX-License-Identifier: Apache-2.0
#include "backend/search/layer_methods.h"

#include <algorithm>
#include <limits>

#include "backend/price/landscape.h"
#include "backend/search/error_texts.h"
#include "backend/search/segmentation_request.h"
#include "backend/search/simulated_nodes.h"
#include "backend/search/tabu.h"

namespace divisi::search {
namespace {

constexpr double infinite_price = std::numeric_limits<double>::infinity();

/// Maximum number of sweeps over all cuts before the tabu moves. Further sweeps gain little, and each computes a
/// landscape for every cut.
constexpr int most_cut_sweeps = 6;

bool allowed(const Chain& chain, const std::vector<std::int32_t>& order, const plan::CutChoice& choice) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= choice.size(); ++i) {
        const std::size_t end = i < choice.size() ? static_cast<std::size_t>(choice[i]) + 1 : chain.positions() - 1;
        if (!may_reach(chain, order[i], begin, end)) return false;
        if (i < choice.size() && chain.crossing_ms.front()[end] == infinite_price) return false;
        begin = end;
    }
    return true;
}

/// Returns the choice with the moving cut at the best allowed position of its landscape. Returns the plan's own cuts if
/// no position is allowed.
plan::CutChoice best_placed(const price::Landscape& landscape, const Chain& chain, const LayerPlan& plan) {
    plan::CutChoice best = plan.cuts, tried = plan.cuts;
    double least = infinite_price;
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

/// Moves one cut after another to the best position of its landscape, until no move makes the step faster. Does not
/// change the nodes of the stages.
plan::CutChoice descend(const LayerTask& task, const Chain& chain, LayerPlan plan, const CutPrice& price) {
    const price::Placement placement = placement_of(task, plan.nodes);
    double step_ms = plan.start_step_ms;
    bool gained = true;
    for (int sweep = 0; gained && sweep < most_cut_sweeps; ++sweep) {
        gained = false;
        for (std::size_t i = 0; i < plan.cuts.size(); ++i) {
            if (task.watch && !task.watch({0, plan.cuts, step_ms})) return plan.cuts;
            const price::MovingCut moving{task.cuts, plan.cuts, static_cast<std::int32_t>(i)};
            const auto landscape = price::make_landscape(task.pricing, moving, placement, task.setup);
            if (!landscape.ok()) return plan.cuts;
            plan::CutChoice moved = best_placed(*landscape, chain, plan);
            const double moved_ms = moved == plan.cuts ? infinite_price : price(moved);
            if (moved_ms >= step_ms) continue;
            plan.cuts = std::move(moved);
            step_ms = moved_ms;
            gained = true;
        }
    }
    return plan.cuts;
}

/// Shares by which the slowest stage may be slower if fewer bytes are sent.
constexpr double tried_slacks[] = {0, 0.05, 0.25};

/// Moves the plan to the nodes of place_cuts() if its step is faster there than `step_ms`. Returns the resulting step
/// time.
double take_faster_nodes(const LayerTask& task, const PricedChain& priced, LayerPlan& plan, double step_ms) {
    auto placed = place_cuts(task, plan.cuts);
    const double placed_ms = placed.ok() ? simulated_ms(task, plan.cuts, placed->nodes) : infinite_price;
    if (placed_ms >= step_ms) return step_ms;
    plan.nodes = std::move(placed->nodes);
    plan.devices = std::move(placed->devices);
    plan.nodes_matter = true;
    plan.all_orders = placed->all_orders;
    plan.slowest = slowest_ms(priced.chain, plan.devices, plan.cuts);
    return placed_ms;
}

/// Holds the plan with the fastest simulated step so far.
class Fastest {
public:
    Fastest(const LayerTask& task, const SegmentationRequest& request, const PricedChain& priced, LayerPlan plan)
        : task_(task), request_(request), priced_(priced), plan_(std::move(plan)), step_ms_(step_ms_of(plan_)) {}

    std::int64_t stages() const { return static_cast<std::int64_t>(plan_.cuts.size()) + 1; }
    LayerPlan take() { return std::move(plan_); }
    /// Plans this number of stages with this chain. Returns whether the plan is faster.
    bool try_stages(const PricedChain& chain, std::int64_t stages, double slack = 0) {
        SegmentationRequest fixed = request_;
        fixed.stages = stages;
        fixed.least_stages = fixed.most_stages = 0;
        auto tried = plan_on_nodes(chain, task_, fixed, slack);
        if (!tried.ok()) return false;
        const double step_ms = step_ms_of(*tried);
        if (step_ms >= step_ms_) return false;
        tried->counts = std::move(plan_.counts);
        tried->slowest = slowest_ms(priced_.chain, tried->devices, tried->cuts);
        plan_ = std::move(*tried);
        step_ms_ = step_ms;
        return true;
    }
    /// Moves the plan to the nodes that place_cuts() finds, if its step is faster there.
    void place_again() { step_ms_ = take_faster_nodes(task_, priced_, plan_, step_ms_); }

private:
    double step_ms_of(const LayerPlan& plan) const { return simulated_ms(task_, plan.cuts, plan.nodes); }

    const LayerTask& task_;
    const SegmentationRequest& request_;
    const PricedChain& priced_;
    LayerPlan plan_;
    double step_ms_;
};

/// Returns the largest number of stages that the request allows.
std::int32_t most_wanted(const LayerTask& task, const SegmentationRequest& request) {
    if (request.stages > 0) return static_cast<std::int32_t>(request.stages);
    const std::int64_t most =
        request.most_stages > 0 ? request.most_stages : std::max(request.least_stages, most_open_stages);
    return static_cast<std::int32_t>(std::min(most, static_cast<std::int64_t>(task.cuts.legal.size()) + 1));
}

}  // namespace

Result<LayerPlan> plan_by_step(const PricedChain& priced, const LayerTask& task, const SegmentationRequest& request) {
    DIVISI_ASSIGN(LayerPlan plan, plan_on_nodes(priced, task, request));
    if (chain_counts_all(task)) return plan;
    PricedChain charged = priced;
    charge_relays(charged, task);
    Fastest fastest(task, request, priced, std::move(plan));
    const std::int64_t least = std::max<std::int64_t>(request.least_stages, 1), most = most_wanted(task, request);
    for (const std::int64_t step : {-1, 1}) {
        bool faster = stages_are_open(request);
        for (std::int64_t stages = fastest.stages() + step; faster && stages >= least && stages <= most;
             stages += step) {
            faster = fastest.try_stages(priced, stages);
            faster = fastest.try_stages(charged, stages) || faster;
        }
    }
    const std::int64_t stages = fastest.stages();
    for (const double slack : tried_slacks)
        for (const PricedChain* chain : {&priced, static_cast<const PricedChain*>(&charged)})
            fastest.try_stages(*chain, stages, slack);
    fastest.place_again();
    return fastest.take();
}

Result<LayerPlan> optimal_layers(const LayerTask& task, const SegmentationRequest& request) {
    DIVISI_ASSIGN(const PricedChain priced, priced_chain(task, request, most_wanted(task, request)));
    return plan_by_step(priced, task, request);
}

Result<LayerPlan> tabu_layers(const LayerTask& task, const SegmentationRequest& request) {
    DIVISI_ASSIGN(const PricedChain priced, priced_chain(task, request, most_wanted(task, request)));
    DIVISI_ASSIGN(LayerPlan plan, plan_by_step(priced, task, request));
    bool stopped = false;
    const auto is_stopped = [&] { return stopped = stopped || (task.stop && task.stop()); };
    const auto price = [&](const plan::CutChoice& choice) {
        return !is_stopped() && allowed(priced.chain, plan.devices, choice) ? simulated_ms(task, choice, plan.nodes)
                                                                            : infinite_price;
    };
    plan.start_step_ms = price(plan.cuts);
    const plan::CutChoice start = descend(task, priced.chain, plan, price);
    const auto watch = [&](const TabuResult& so_far) {
        const double done = static_cast<double>(so_far.iterations) / static_cast<double>(request.tabu_iterations);
        return !is_stopped() && (!task.watch || task.watch({done, so_far.cuts, so_far.price}));
    };
    TabuResult found = tabu_search(start, static_cast<std::int32_t>(task.cuts.legal.size()), price, request, watch);
    if (stopped)
        return make_error(error_text("tabu-search-too-long"), "split.tabu_iterations",
                          {std::to_string(request.tabu_iterations), std::to_string(found.iterations)});
    plan.cuts = std::move(found.cuts);
    plan.step_ms = found.price;
    if (!chain_counts_all(task)) plan.step_ms = take_faster_nodes(task, priced, plan, plan.step_ms);
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
