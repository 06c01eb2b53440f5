// SPDX-License-Identifier: Apache-2.0
#include "backend/task/predict_step.h"

#include <algorithm>

namespace divisi::task {

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

}  // namespace divisi::task
