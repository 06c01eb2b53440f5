// SPDX-License-Identifier: Apache-2.0
#include "backend/search/layers.h"

#include <algorithm>
#include <limits>

#include "backend/plan/blocks.h"
#include "backend/search/error_texts.h"
#include "backend/search/segmentation_request.h"

namespace divisi::search {
namespace {

double flops(const graph::NodeCost& cost) {
    return cost.forward_flops + cost.input_gradient_flops + cost.weight_gradient_flops;
}

/// Returns for each legal cut whether it would divide one of the scopes in `together`.
Result<std::vector<bool>> inside_together(const graph::Graph& model, const graph::CutList& cuts,
                                          const std::vector<std::string>& together) {
    std::vector<bool> inside(cuts.legal.size(), false);
    for (const std::string& pattern : together) {
        DIVISI_ASSIGN(const auto nodes, plan::find_operators(model, static_cast<graph::NodeIndex>(model.nodes.size()),
                                                             pattern, "split.together"));
        graph::NodeIndex first = cuts.home[nodes.front()], last = first;
        for (const graph::NodeIndex node : nodes) {
            first = std::min(first, cuts.home[node]);
            last = std::max(last, cuts.home[node]);
        }
        for (std::size_t cut = 0; cut < inside.size(); ++cut)
            if (cuts.legal[cut] >= first && cuts.legal[cut] < last) inside[cut] = true;
    }
    return inside;
}

struct Range {
    std::int64_t least = 1, most = 1;
};

Range stage_range(const SegmentationRequest& request, std::size_t positions, const StageDevices& devices) {
    if (!stages_are_open(request)) return {std::max<std::int64_t>(1, request.stages), request.stages};
    Range range{std::max<std::int64_t>(1, request.least_stages), request.most_stages};
    if (range.most == 0) range.most = std::max(range.least, most_open_stages);
    if (!devices.order.empty()) range.most = std::min(range.most, std::ssize(devices.order));
    range.most = std::max(range.least, std::min(range.most, static_cast<std::int64_t>(positions) - 1));
    return range;
}

Result<ChainSolution> solve_with_devices(Chain& chain, const StageDevices& devices, std::int64_t stages, double slack) {
    std::vector<std::int32_t> order = devices.order;
    if (!order.empty() && std::ssize(order) < stages)
        return make_error(error_text("too-few-devices"), "stages",
                          {std::to_string(order.size()), std::to_string(stages)});
    const auto wanted = static_cast<std::size_t>(stages);
    order.resize(devices.any_order ? std::max(wanted, std::min(devices.nodes, order.size())) : wanted, 0);
    if (devices.in_flight) chain.in_flight = devices.in_flight(static_cast<std::int32_t>(stages));
    if (devices.memory_bytes) {
        const std::vector<double> memory = devices.memory_bytes(static_cast<std::int32_t>(stages));
        for (std::size_t kind = 0; kind < memory.size(); ++kind) chain.devices[kind].memory_bytes = memory[kind];
    }
    return devices.any_order ? order_and_cut_chain(chain, order, wanted, slack) : cut_chain(chain, order, slack);
}

void take(LayerPlan& plan, ChainSolution solution) {
    plan.cuts.clear();
    for (const std::size_t position : solution.cuts) plan.cuts.push_back(static_cast<std::int32_t>(position) - 1);
    plan.devices = std::move(solution.devices);
    plan.slowest = solution.slowest_ms;
    plan.all_orders = solution.all_orders;
}

}  // namespace

std::vector<double> sums_before_cuts(const graph::CutList& cuts, double total,
                                     const std::function<double(graph::NodeIndex)>& cost) {
    std::vector<double> at_home(cuts.home.size() + 1, 0.0);
    for (std::size_t node = 0; node < cuts.home.size(); ++node)
        at_home[static_cast<std::size_t>(cuts.home[node])] += cost(static_cast<graph::NodeIndex>(node));
    std::vector<double> sums{0.0};
    double sum = 0.0;
    std::size_t node = 0;
    for (const graph::NodeIndex cut : cuts.legal) {
        for (; node <= static_cast<std::size_t>(cut); ++node) sum += at_home[node];
        sums.push_back(sum);
    }
    sums.push_back(std::max(sum, total));
    return sums;
}

Result<void> restrict_chain(Chain& chain, const graph::Graph& model, const graph::CutList& cuts,
                            const SegmentationRequest& request) {
    DIVISI_ASSIGN(const std::vector<bool> inside, inside_together(model, cuts, request.together));
    for (std::size_t cut = 0; cut < inside.size(); ++cut)
        if (inside[cut])
            for (auto& link : chain.crossing_ms) link[cut + 1] = std::numeric_limits<double>::infinity();
    if (request.least_layers > 0) chain.least_layers = static_cast<std::size_t>(request.least_layers);
    if (request.most_layers > 0) chain.most_layers = static_cast<std::size_t>(request.most_layers);
    return {};
}

Result<Chain> rule_chain(const graph::Graph& model, const graph::CutList& cuts, const graph::GraphCost& cost,
                         const SegmentationRequest& request) {
    Chain chain;
    ChainDevice device;
    if (request.method == "equal-layers") {
        for (std::size_t position = 0; position < cuts.legal.size() + 2; ++position)
            device.before_ms.push_back(static_cast<double>(position));
    } else if (request.method == "equal-parameters") {
        device.before_ms = sums_before_cuts(cuts, cost.total().parameter_bytes,
                                            [&](graph::NodeIndex node) { return cost.node(node).parameter_bytes; });
    } else {
        device.before_ms =
            sums_before_cuts(cuts, flops(cost.total()), [&](graph::NodeIndex node) { return flops(cost.node(node)); });
    }
    chain.crossing_bytes.assign(device.before_ms.size(), 0);
    for (std::size_t cut = 0; cut < cuts.legal.size(); ++cut) {
        const graph::CutPosition& position = cuts.positions[cuts.legal[cut]];
        chain.crossing_bytes[cut + 1] = static_cast<double>(position.forward_bytes + position.backward_bytes);
    }
    chain.crossing_ms.assign(1, std::vector<double>(device.before_ms.size(), 0));
    chain.devices.push_back(std::move(device));
    DIVISI_TRY(restrict_chain(chain, model, cuts, request));
    return chain;
}

Result<LayerPlan> plan_layers(const Chain& asked, const SegmentationRequest& request, const StageDevices& devices,
                              double slack) {
    Chain chain = asked;
    const Range range = stage_range(request, chain.positions(), devices);
    LayerPlan plan;
    if (!stages_are_open(request)) {
        DIVISI_ASSIGN(ChainSolution solution, solve_with_devices(chain, devices, range.least, slack));
        take(plan, std::move(solution));
        return plan;
    }
    std::vector<ChainSolution> solutions;
    Error last_error;
    for (std::int64_t stages = range.least; stages <= range.most; ++stages) {
        auto solution = solve_with_devices(chain, devices, stages, slack);
        if (!solution.ok()) {
            last_error = solution.error();  // more stages may fit into the memory, fewer may fit the number of layers
            continue;
        }
        const double before = plan.counts.empty() ? solution->slowest_ms : plan.counts.back().slowest;
        const double buys = before > 0 ? 1 - solution->slowest_ms / before : 0;
        plan.counts.push_back({static_cast<std::int32_t>(stages), solution->slowest_ms, buys});
        solutions.push_back(std::move(*solution));
    }
    if (solutions.empty()) return last_error;
    double fastest = std::numeric_limits<double>::infinity();
    for (const ChainSolution& solution : solutions) fastest = std::min(fastest, solution.slowest_ms);
    take(plan, *std::find_if(solutions.begin(), solutions.end(), [&](const ChainSolution& solution) {
             return solution.slowest_ms <= fastest * (1 + open_stages_slack);
         }));
    return plan;
}

double slowest_ms(const Chain& chain, const std::vector<std::int32_t>& order, const plan::CutChoice& choice) {
    double slowest = 0;
    std::size_t begin = 0;
    for (std::size_t stage = 0; stage <= choice.size(); ++stage) {
        const bool last = stage == choice.size();
        const std::size_t end = last ? chain.positions() - 1 : static_cast<std::size_t>(choice[stage]) + 1;
        const std::vector<double>& before = chain.devices[order[stage]].before_ms;
        slowest = std::max(slowest, before[end] - before[begin]);
        if (!last) {
            const std::size_t link = order[stage] * chain.devices.size() + order[stage + 1];
            slowest = std::max(slowest, chain.crossing_ms[link][end]);
        }
        begin = end;
    }
    return slowest;
}

Result<std::int32_t> forbidden_cut(const graph::Graph& model, const graph::CutList& cuts, const plan::CutChoice& choice,
                                   const std::vector<std::string>& together) {
    DIVISI_ASSIGN(const std::vector<bool> inside, inside_together(model, cuts, together));
    for (const std::int32_t cut : choice)
        if (inside[static_cast<std::size_t>(cut)]) return cut;
    return -1;
}

Result<plan::CutChoice> equal_flops(const graph::Graph& graph, const graph::CutList& cuts, const graph::GraphCost& cost,
                                    std::int64_t stages) {
    const auto legal = static_cast<std::int64_t>(cuts.legal.size());
    if (stages < 1 || stages > std::min(legal + 1, plan::most_stages))
        return make_error(error_text("too-few-legal-cuts"), "stages",
                          {graph.name, std::to_string(stages), std::to_string(legal),
                           std::to_string(std::min(legal + 1, plan::most_stages))});
    SegmentationRequest request;
    request.stages = stages;
    DIVISI_ASSIGN(const Chain chain, rule_chain(graph, cuts, cost, request));
    DIVISI_ASSIGN(LayerPlan plan, plan_layers(chain, request, {}, equal_flops_slack));
    return std::move(plan.cuts);
}

}  // namespace divisi::search
