// SPDX-License-Identifier: Apache-2.0
#include "backend/plan/layer_methods.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "backend/plan/landscape.h"
#include "backend/plan/tabu.h"

namespace divisi::plan {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double ms_per_second = 1000;

/// Sweeps over all cuts before the tabu moves; more hardly gain, and each makes a landscape for every cut.
constexpr int most_sweeps = 6;

/// Devices that cost the same whatever runs on them, with one that stands for them.
struct Kinds {
    std::vector<PlannedDevice> devices;
    std::vector<std::int32_t> order;  ///< of each stage
    bool by_host = false;             ///< devices of one kind share a host
};

Kinds kinds_of(const Placement& placement) {
    std::vector<std::int32_t> hosts;
    for (const PlannedDevice& device : placement.stages) hosts.push_back(device.host);
    std::sort(hosts.begin(), hosts.end());
    // Where every stage has a host of its own and all connections are equal, hosts make no difference.
    Kinds kinds;
    kinds.by_host = !placement.links.by_host.empty() || std::adjacent_find(hosts.begin(), hosts.end()) != hosts.end();
    const auto same = [&](const PlannedDevice& a, const PlannedDevice& b) {
        return std::tie(a.profile, a.memory) == std::tie(b.profile, b.memory) && (!kinds.by_host || a.host == b.host);
    };
    for (const PlannedDevice& device : placement.stages) {
        const auto known = std::find_if(kinds.devices.begin(), kinds.devices.end(),
                                        [&](const PlannedDevice& other) { return same(device, other); });
        kinds.order.push_back(static_cast<std::int32_t>(known - kinds.devices.begin()));
        if (known == kinds.devices.end()) kinds.devices.push_back(device);
    }
    return kinds;
}

double crossing_ms(const LinkModel& link, const graph::CutPosition& position) {
    const double messages = link.message_s * std::max(0, position.values - 1);  // the first is in occupancy()
    return (messages + link.occupancy(std::max(position.forward_bytes, position.backward_bytes))) * ms_per_second;
}

double held_bytes(const graph::Graph& graph, const graph::NodeCost& cost, const graph::Node& node,
                  std::int32_t optimizer_states) {
    double trainable = 0;  // gradients and optimizer state beside the parameters
    if (cost.parameter_bytes > 0)
        for (const graph::ValueIndex input : node.inputs)
            if (input != graph::no_value && graph.is_initializer(input) &&
                graph.initializers[graph.values[input].initializer].trainable)
                trainable += static_cast<double>(graph::size_bytes(graph.values[input]).value_or(0));
    return cost.parameter_bytes + std::min(trainable, cost.parameter_bytes) * (1 + optimizer_states);
}

void add_memory(PricedChain& priced, const LayerTask& task) {
    const graph::Graph& graph = task.pricing.graph();
    const graph::GraphCost& cost = task.pricing.cost();
    const auto held = [&](graph::NodeIndex node) {
        return held_bytes(graph, cost.node(node), graph.nodes[node], task.setup.optimizer_states);
    };
    double held_total = 0;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        held_total += held(static_cast<graph::NodeIndex>(node));
    priced.chain.held_bytes = sums_before_cuts(task.cuts, held_total, held);
    priced.chain.flight_bytes = sums_before_cuts(task.cuts, cost.total().activation_bytes, [&](graph::NodeIndex node) {
        return cost.node(node).activation_bytes;
    });
    priced.devices.in_flight = [setup = task.setup](std::int32_t stages) {
        std::vector<double> most(static_cast<std::size_t>(stages), 1);
        const auto order = make_pass_order(setup.schedule, stages, setup.microbatches);
        // What is computed again is held for one micro-batch at a time.
        for (std::size_t i = 0; order.ok() && !setup.recompute && i < most.size(); ++i)
            most[i] = most_in_flight((*order)[i]);
        return most;
    };
}

/// The cuts as segments, simulated; infinite where they are not allowed or do not fit.
double simulated_ms(const LayerTask& task, const CutChoice& choice) {
    const auto segments = segments_from_cuts(task.model, task.cuts, choice, task.pricing.graph());
    if (!segments.ok()) return infinite;
    const auto partition = make_partition(task.pricing.graph(), *segments);
    if (!partition.ok()) return infinite;
    const Placement placement = task.placement(static_cast<std::int32_t>(choice.size()) + 1);
    const auto prediction = predict(task.pricing, *partition, placement, task.setup);
    if (!prediction.ok()) return infinite;
    for (const PredictedStage& stage : prediction->stages)
        if (!stage.fits()) return infinite;
    return prediction->step_ms;
}

bool allowed(const Chain& chain, const CutChoice& choice) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= choice.size(); ++i) {
        const std::size_t end = i < choice.size() ? static_cast<std::size_t>(choice[i]) + 1 : chain.positions() - 1;
        if (end < begin + chain.least_layers || end - begin > chain.most_layers) return false;
        if (i < choice.size() && chain.crossing_ms.front()[end] == infinite) return false;
        begin = end;
    }
    return true;
}

/// The best place of a cut in its landscape, by what is allowed; where it is if there is none.
CutChoice best_placed(const Landscape& landscape, const Chain& chain, const CutChoice& cuts) {
    CutChoice best = cuts, tried = cuts;
    double least = infinite;
    for (std::size_t legal = 0; legal < landscape.positions.size(); ++legal) {
        const LandscapePosition& position = landscape.positions[legal];
        if (position.obstacle != Obstacle::none || position.step_s >= least) continue;
        tried[static_cast<std::size_t>(landscape.moving)] = static_cast<std::int32_t>(legal);
        if (!allowed(chain, tried)) continue;
        best = tried;
        least = position.step_s;
    }
    return best;
}

/// Moves one cut after the other to the best place of its landscape until none makes the step faster.
CutChoice descend(const LayerTask& task, const Chain& chain, CutChoice cuts, double step_ms, const CutPrice& price) {
    const Placement placement = task.placement(static_cast<std::int32_t>(cuts.size()) + 1);
    bool gained = true;
    for (int sweep = 0; gained && sweep < most_sweeps; ++sweep) {
        gained = false;
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            if (task.watch && !task.watch({0, cuts, step_ms})) return cuts;
            const auto landscape =
                make_landscape(task.pricing, {task.cuts, cuts, static_cast<std::int32_t>(i)}, placement, task.setup);
            if (!landscape.ok()) return cuts;
            CutChoice moved = best_placed(*landscape, chain, cuts);
            const double moved_ms = moved == cuts ? infinite : price(moved);
            if (moved_ms >= step_ms) continue;
            cuts = std::move(moved);
            step_ms = moved_ms;
            gained = true;
        }
    }
    return cuts;
}

/// As many stages as the request may come to.
std::int32_t most_wanted(const LayerTask& task, const SegmentationRequest& request) {
    if (request.stages > 0) return static_cast<std::int32_t>(request.stages);
    const std::int64_t most =
        request.most_stages > 0 ? request.most_stages : std::max(request.least_stages, most_open_stages);
    return static_cast<std::int32_t>(std::min(most, static_cast<std::int64_t>(task.cuts.legal.size()) + 1));
}

}  // namespace

Result<PricedChain> priced_chain(const LayerTask& task, const SegmentationRequest& request, std::int32_t stages) {
    const Placement placement = task.placement(stages);
    const Kinds kinds = kinds_of(placement);
    DIVISI_ASSIGN(Chain base, rule_chain(task.model, task.cuts, task.pricing.cost(), request));
    PricedChain priced{std::move(base), {}};
    priced.devices.order = kinds.order;
    Chain& chain = priced.chain;
    const std::vector<double> forbidden = chain.crossing_ms.front();  // infinite there, else 0
    chain.devices.clear();
    chain.crossing_ms.clear();
    for (const PlannedDevice& from : kinds.devices) {
        DIVISI_ASSIGN(const PricedGraph* graph, task.pricing.on(from.profile));
        const auto ms = [&](const auto& price) {
            const double forward = price.forward * (task.setup.recompute ? 2 : 1);
            return (forward + price.input_gradient + price.weight_gradient) * ms_per_second;
        };
        ChainDevice device;
        device.before_ms = sums_before_cuts(task.cuts, ms(graph->total()),
                                            [&](graph::NodeIndex node) { return ms(graph->node(node)); });
        if (from.memory) device.memory_bytes = static_cast<double>(*from.memory);
        chain.devices.push_back(std::move(device));
        for (const PlannedDevice& to : kinds.devices) {
            const LinkModel& link =
                kinds.by_host ? placement.links.of(from.host, to.host) : placement.links.between_hosts;
            chain.crossing_ms.push_back(forbidden);
            for (std::size_t cut = 0; cut < task.cuts.legal.size(); ++cut)
                chain.crossing_ms.back()[cut + 1] += crossing_ms(link, task.cuts.positions[task.cuts.legal[cut]]);
        }
    }
    add_memory(priced, task);
    return priced;
}

Result<LayerPlan> optimal_layers(const LayerTask& task, const SegmentationRequest& request) {
    DIVISI_ASSIGN(PricedChain priced, priced_chain(task, request, most_wanted(task, request)));
    priced.devices.any_order = task.any_order;
    return plan_layers(priced.chain, request, priced.devices);
}

Result<LayerPlan> tabu_layers(const LayerTask& task, const SegmentationRequest& request) {
    DIVISI_ASSIGN(const PricedChain priced, priced_chain(task, request, most_wanted(task, request)));
    DIVISI_ASSIGN(LayerPlan plan, plan_layers(priced.chain, request, priced.devices));
    const auto price = [&](const CutChoice& choice) {
        return allowed(priced.chain, choice) ? simulated_ms(task, choice) : infinite;
    };
    plan.start_step_ms = price(plan.cuts);
    const CutChoice start = descend(task, priced.chain, plan.cuts, plan.start_step_ms, price);
    const auto watch = [&](const TabuResult& so_far) {
        const double done = static_cast<double>(so_far.iterations) / static_cast<double>(request.tabu_iterations);
        return !task.watch || task.watch({done, so_far.cuts, so_far.price});
    };
    TabuResult found = tabu_search(start, static_cast<std::int32_t>(task.cuts.legal.size()), price, request, watch);
    plan.cuts = std::move(found.cuts);
    plan.step_ms = found.price;
    return plan;
}

Result<Distance> distance_from_optimum(const LayerTask& task, const SegmentationRequest& request,
                                       const CutChoice& choice) {
    SegmentationRequest same = request;
    same.stages = static_cast<std::int64_t>(choice.size()) + 1;
    same.cuts.clear();
    same.together.clear();
    same.least_layers = same.most_layers = 0;
    DIVISI_ASSIGN(PricedChain priced, priced_chain(task, same, static_cast<std::int32_t>(same.stages)));
    for (ChainDevice& device : priced.chain.devices) device.memory_bytes = infinite;
    DIVISI_ASSIGN(const LayerPlan best, plan_layers(priced.chain, same, priced.devices));
    return Distance{slowest_ms(priced.chain, priced.devices.order, choice), best.slowest};
}

}  // namespace divisi::plan
