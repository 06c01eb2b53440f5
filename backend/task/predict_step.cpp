// SPDX-License-Identifier: Apache-2.0
#include "backend/task/predict_step.h"

#include <algorithm>

#include "backend/plan/gradient_order.h"
#include "backend/task/sent_text.h"

namespace divisi::task {
namespace {

std::vector<std::string> operator_names(const CompiledPlan& compiled, std::size_t stage) {
    std::vector<std::string> names;
    for (const graph::NodeIndex node : compiled.partition.segments[stage].nodes)
        names.push_back(compiled.graph().nodes[static_cast<std::size_t>(node)].name);
    return names;
}

/// Names the end of a stage: its cut, or, for a stage that need not be contiguous, its last operator of the model.
std::string end_of(const CompiledPlan& compiled, std::size_t stage) {
    if (stage < compiled.cuts.size()) return compiled.cuts[stage];
    if (compiled.spec.split.strategy != "block") return "(end)";
    std::string last;
    for (const graph::NodeIndex node : compiled.partition.segments[stage].nodes) {
        const std::string& name = compiled.graph().nodes[static_cast<std::size_t>(node)].name;
        const bool added = name.starts_with(plan::relay_scope);  // not part of the model
        if (node < compiled.training->model_nodes && !added) last = name;
    }
    return last;
}

/// A note about the assumptions behind the price of data instances.
constexpr const char* data_note =
    "data instances are never measured: reading is priced as one copy of the data of a micro-batch, and preprocessing "
    "as two copies, at the rate of the device's memory; data instances take turns, and each stage that needs data "
    "requests its own micro-batches";

/// Returns the time of the slowest stage or link, and a lower bound of this time. For layer plans, the bound is the
/// optimum. For other plans, links are ignored and the bound is an even share of the work.
Result<search::Distance> distance_of(const CompiledPlan& compiled, const graph::Graph& model,
                                     const price::Prediction& prediction, price::NodePool devices) {
    devices.wanted = compiled.stage_nodes;
    const SplitSection& split = compiled.spec.split;
    if (split.strategy == "layer" && split.segments.empty())
        return split_distance(compiled.spec, model, compiled.cut_indices, devices);
    search::Distance distance;
    for (const price::PredictedStage& stage : prediction.stages) {
        distance.slowest_ms = std::max(distance.slowest_ms, stage.work_ms);
        distance.least_ms += stage.work_ms / static_cast<double>(prediction.stages.size());
    }
    return distance;
}

}  // namespace

price::TrainingSetup training_setup(const TaskSpec& spec) {
    price::TrainingSetup setup;
    setup.schedule = spec.split.schedule;
    setup.microbatches = static_cast<std::int32_t>(spec.train.microbatches);
    setup.optimizer_states = optimizer_states(spec.train);
    setup.clip = spec.train.clip > 0;
    setup.recompute = spec.train.recompute;
    setup.slots = static_cast<std::int32_t>(spec.split.slots);
    setup.forward_only = is_batch(spec);
    return setup;
}

price::Placement default_placement(const CompiledPlan& compiled) {
    const PlaceSection& place = compiled.spec.place;
    const auto threads = static_cast<double>(place.threads);
    price::Placement placement = price::default_placement(compiled.stage_count(), place.device, threads);
    for (std::size_t i = 0; i < std::min(place.stages.size(), placement.stages.size()); ++i)
        placement.stages[i].name = place.stages[i] + " " + place.device;
    const auto apart = [&](const std::string& name) {
        price::PlannedDevice device = placement.stages.front();
        device.name = name;
        device.host = static_cast<std::int32_t>(placement.hosts.size());
        placement.hosts.push_back({name, 0});
        return device;
    };
    if (!place.data.empty()) placement.data = apart(place.data);
    for (std::int64_t i = 0; i < compiled.spec.data.instances; ++i)
        placement.dealt.push_back(placement.data ? *placement.data : apart("data " + std::to_string(i)));
    return placement;
}

Result<price::Prediction> predict_step(const CompiledPlan& compiled, const price::Placement& placement,
                                       const price::SimulateOptions& options) {
    const graph::GraphCost cost(compiled.graph());
    price::Pricing pricing(*compiled.training, cost);
    return price::predict(pricing, compiled.partition, placement, training_setup(compiled.spec), options);
}

Result<PricedPlan> price_plan(const CompiledPlan& compiled, const graph::Graph& model, const price::NodePool& devices) {
    DIVISI_TRY(sent_text(compiled));
    DIVISI_ASSIGN(const price::Prediction prediction, predict_step(compiled, placed(compiled, devices)));
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
    for (const price::PathUse& use : prediction.paths) {
        const price::LinkModel& link = use.path.link;
        const double s_per_byte = link.occupancy(Bytes{1} << 40) / static_cast<double>(Bytes{1} << 40);
        priced.paths.push_back({use.from, use.to, use.path.devices, use.path.narrowest,
                                (link.latency_s + link.message_s) * 1e3, s_per_byte > 0 ? 1 / s_per_byte : 0,
                                (link.latency(use.largest) + link.occupancy(use.largest)) * 1e3,
                                to_string(link.source)});
    }
    if (prediction.link_source) priced.links = to_string(*prediction.link_source);
    priced.warnings = compiled.warnings;
    if (!devices.note.empty()) priced.warnings.push_back(devices.note);
    priced.data = prediction.dealt;
    if (!priced.data.devices.empty()) priced.warnings.push_back(data_note);
    if (compiled.any_order)
        priced.warnings.push_back(compiled.all_orders
                                      ? "no other nodes and no other order of the nodes are faster for these stages"
                                      : "other orders of the nodes were not all tried: there are too many");
    if (devices.complete && static_cast<std::size_t>(compiled.stage_count()) > devices.ready)
        priced.warnings.push_back("there are more stages than nodes, so some nodes run several stages");
    for (std::size_t i = 0; i < prediction.stages.size(); ++i)
        priced.stages.push_back({operator_names(compiled, i), end_of(compiled, i), prediction.stages[i]});
    return priced;
}

}  // namespace divisi::task
