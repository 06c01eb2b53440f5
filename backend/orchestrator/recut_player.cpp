// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/recut_player.h"

#include <map>
#include <memory>
#include <span>

#include "backend/onnx/skeleton.h"
#include "backend/submit/placement.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/price_plan.h"

namespace divisi::orchestrator {
namespace {

void scale(price::MeasuredTime& time, double factor) {
    time.seconds *= factor;
    time.spread *= factor;
    time.crowded *= factor;
}

/// Returns the same device, `factor` times slower.
std::shared_ptr<const price::DeviceProfile> slower(const price::DeviceProfile& profile, double factor) {
    auto scaled = std::make_shared<price::DeviceProfile>(profile);
    price::DeviceRates& rates = scaled->rates;
    for (double* rate : {&rates.product_flops_per_s, &rates.other_flops_per_s, &rates.bytes_per_s}) *rate /= factor;
    for (double* time : {&rates.dispatch_s, &rates.pass_s, &rates.call_s}) *time *= factor;
    for (auto& [key, measured] : scaled->operators)
        for (price::MeasuredTime* time : {&measured.forward, &measured.input_gradient, &measured.weight_gradient})
            scale(*time, factor);
    return scaled;
}

/// Scales the pool's devices so that predicted stage times match the measured ones. Stages on one node are compared by
/// their sum.
price::NodePool agreeing(price::NodePool pool, const control::RecutTrialJob& job, const task::PricedPlan& priced) {
    struct Times {
        double measured = 0, predicted = 0;
    };
    std::map<std::string, Times> by_node;
    for (std::size_t i = 0; i < priced.stages.size() && i < job.busy_ms.size() && i < job.stage_nodes.size(); ++i) {
        by_node[job.stage_nodes[i]].measured += job.busy_ms[i];
        by_node[job.stage_nodes[i]].predicted += priced.stages[i].prediction.busy_ms;
    }
    for (price::PlannedDevice& device : pool.nodes) {
        const auto found = by_node.find(device.node);
        if (found == by_node.end() || found->second.measured <= 0 || found->second.predicted <= 0) continue;
        device.profile = slower(*device.profile, found->second.measured / found->second.predicted);
    }
    return pool;
}

/// Returns the spec with the same number of stages, but without fixed cuts.
task::TaskSpec with_open_cuts(task::TaskSpec spec, std::int64_t stages) {
    spec.split.strategy = "layer";
    spec.split.method = "optimal";
    spec.split.cuts.clear();
    spec.split.stages = stages;
    spec.split.least_stages = spec.split.most_stages = 0;
    return spec;
}

}  // namespace

Result<control::RecutTrial> play_recut(const control::RecutTrialJob& job, const std::filesystem::path& data,
                                       const search::StopSearch& stop) {
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(job.text, "task file"));
    DIVISI_ASSIGN(const graph::Graph model, task::load_model(spec, [&] {
                      return onnx::load_skeleton(std::as_bytes(std::span(job.skeleton)), spec.model.onnx);
                  }));
    spec.place.stages = job.stage_nodes;
    task::CompileOptions options;
    options.devices = submit::placement_of(job.nodes, spec.place, data);
    options.stop = stop;
    DIVISI_ASSIGN(const task::CompiledPlan in_force, task::compile(spec, model, options));
    DIVISI_ASSIGN(const task::PricedPlan first, task::price_plan(in_force, model, options.devices));
    options.devices = agreeing(std::move(options.devices), job, first);
    DIVISI_ASSIGN(const task::PricedPlan before, task::price_plan(in_force, model, options.devices));
    const task::TaskSpec open = with_open_cuts(spec, in_force.stage_count());
    DIVISI_ASSIGN(const task::CompiledPlan other, task::compile(open, model, options));
    DIVISI_ASSIGN(const task::PricedPlan after, task::price_plan(other, model, options.devices));
    control::RecutTrial trial{before.predicted_step_ms, after.predicted_step_ms, {}};
    // The search minimises the slowest stage, so a step can still become longer.
    if (trial.after_ms < trial.before_ms && other.cuts != in_force.cuts) trial.cuts = other.cuts;
    else trial.after_ms = trial.before_ms;
    return trial;
}

}  // namespace divisi::orchestrator
