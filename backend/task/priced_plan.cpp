// SPDX-License-Identifier: Apache-2.0
#include "backend/task/priced_plan.h"

#include <algorithm>
#include <cmath>

#include "backend/plan/gradient_order.h"
#include "backend/task/predict_step.h"
#include "backend/task/sent_text.h"

namespace divisi::task {

namespace {

std::vector<std::string> operator_names(const CompiledPlan& compiled, std::size_t stage) {
    std::vector<std::string> names;
    for (const graph::NodeIndex node : compiled.partition.segments[stage].nodes)
        names.push_back(compiled.graph().nodes[static_cast<std::size_t>(node)].name);
    return names;
}

/// Where a stage ends: its cut, or for one that need not be contiguous, its last operator of the model.
std::string end_of(const CompiledPlan& compiled, std::size_t stage) {
    if (stage < compiled.cuts.size()) return compiled.cuts[stage];
    if (compiled.spec.split.strategy != "block") return "(end)";
    std::string last;
    for (const graph::NodeIndex node : compiled.partition.segments[stage].nodes) {
        const std::string& name = compiled.graph().nodes[static_cast<std::size_t>(node)].name;
        const bool added = name.starts_with(plan::relay_scope);  // not the model's
        if (node < compiled.training->model_nodes && !added) last = name;
    }
    return last;
}

/// How far the slowest stage or link is from the least possible: for contiguous cuts that is known, else no stages
/// can do better than share the work evenly.
Result<search::Distance> distance_of(const CompiledPlan& compiled, const graph::Graph& model,
                                     const price::Prediction& prediction, price::NodePool devices) {
    devices.wanted = compiled.stage_nodes;
    const SplitSection& split = compiled.spec.split;
    if (split.strategy == "layer" && split.segments.empty())
        return split_distance(compiled.spec, model, compiled.cut_indices, devices);
    search::Distance distance;
    for (const price::PredictedStage& stage : prediction.stages) {
        const double ms = 1000 * stage.price.total();
        distance.slowest_ms = std::max(distance.slowest_ms, ms);
        distance.least_ms += ms / static_cast<double>(prediction.stages.size());
    }
    return distance;
}

bool is_amount(double number) { return std::isfinite(number) && number >= 0; }

}  // namespace

Result<PricedPlan> price_plan(const CompiledPlan& compiled, const graph::Graph& model, const price::NodePool& devices) {
    DIVISI_TRY(sent_text(compiled));
    const price::Placement placement = placed(compiled, devices);
    DIVISI_ASSIGN(const price::Prediction prediction, predict_step(compiled, placement));
    DIVISI_ASSIGN(const search::Distance distance, distance_of(compiled, model, prediction, devices));
    PricedPlan priced;
    priced.model = model.name;
    priced.cuts = compiled.cuts;
    priced.parts = compiled.parts;
    priced.stage_counts = compiled.stage_counts;
    priced.hash = compiled.hash;
    priced.objective_ms = distance.slowest_ms;
    priced.lower_bound_ms = distance.least_ms;
    priced.predicted_step_ms = prediction.step_ms;
    priced.profiled_share = prediction.profiled_share;
    if (prediction.link_source) priced.links = to_string(*prediction.link_source);
    priced.warnings = compiled.warnings;
    if (!devices.note.empty()) priced.warnings.push_back(devices.note);
    if (compiled.any_order)
        priced.warnings.push_back(compiled.all_orders
                                      ? "no other nodes, and no other order of them, are faster for these stages"
                                      : "the nodes are taken in turn: they have too many orders to go through");
    if (devices.complete && static_cast<std::size_t>(compiled.stage_count()) > devices.ready)
        priced.warnings.push_back("there are more stages than nodes: some run several");
    for (std::size_t i = 0; i < compiled.stages.size(); ++i) {
        const StagePrediction& known = compiled.stages[i];
        const price::PredictedStage& predicted = prediction.stages[i];
        PricedStage& stage = priced.stages.emplace_back();
        stage.device = placement.stages[i].name;
        stage.operators = operator_names(compiled, i);
        stage.end = end_of(compiled, i);
        stage.flops = known.flops;
        stage.flops_share = known.flops_share;
        stage.sent_forward = known.sent_forward;
        stage.sent_backward = known.sent_backward;
        stage.memory = known.memory.total();
        stage.capacity = predicted.capacity;
        stage.busy_ms = predicted.busy_ms;
        stage.bubble = predicted.bubble;
        stage.profiled_share = predicted.price.profiled_share();
    }
    return priced;
}

Result<void> check_priced(const PricedPlan& plan) {
    const auto bad = [](const std::string& what) {
        return Error{ErrorCode::corrupt, what + " is no amount", "the plan",
                     "run the same Divisi version on all machines"};
    };
    for (const double number : {plan.objective_ms, plan.lower_bound_ms, plan.predicted_step_ms, plan.profiled_share})
        if (!is_amount(number)) return bad("a time of the whole");
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const PricedStage& stage = plan.stages[i];
        const std::string name = "of stage " + std::to_string(i);
        for (const double number : {stage.flops, stage.flops_share, stage.busy_ms, stage.bubble, stage.profiled_share})
            if (!is_amount(number)) return bad("a number " + name);
        for (const Bytes bytes : {stage.sent_forward, stage.sent_backward, stage.memory, stage.capacity.value_or(0)})
            if (bytes < 0) return bad("a size " + name);
    }
    for (const search::StageCount& count : plan.stage_counts)
        if (!is_amount(count.slowest) || !std::isfinite(count.buys)) return bad("what a stage buys");
    for (const PartPrediction& part : plan.parts)
        if (!is_amount(part.flops) || !is_amount(part.flops_share)) return bad("the work of part '" + part.name + "'");
    return {};
}

}  // namespace divisi::task
