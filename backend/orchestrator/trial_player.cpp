// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/trial_player.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "backend/control/types/policy_settings.h"
#include "backend/onnx/skeleton.h"
#include "backend/submit/placement.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/predict_step.h"

namespace divisi::orchestrator {
namespace {

using control::PolicyKey;

/// Returns the paths between the stages, for example "mg-1 > sr-1 > mg-2, mg-2 > sr-1 > mg-1".
std::string paths_text(const task::PricedPlan& plan) {
    std::set<std::string> ways;
    for (const task::PricedPath& path : plan.paths) {
        std::string way;
        for (const std::string& device : path.devices) way += (way.empty() ? "" : " > ") + device;
        ways.insert(way);
    }
    std::string text;
    for (const std::string& way : ways) text += (text.empty() ? "" : ", ") + way;
    return text;
}

Result<task::PricedPlan> price(const control::PolicyTrialJob::Task& task, const control::ClusterState& nodes,
                               const std::filesystem::path& data) {
    DIVISI_ASSIGN(task::TaskSpec spec, task::parse_task(task.text, "task file"));
    DIVISI_ASSIGN(const graph::Graph model, task::load_model(spec, [&] {
                      return onnx::load_skeleton(std::as_bytes(std::span(task.skeleton)), spec.model.onnx);
                  }));
    if (spec.split.segments.empty()) spec.place.stages = task.stage_nodes;
    task::CompileOptions options;
    options.devices = submit::placement_of(nodes, spec.place, data);
    DIVISI_ASSIGN(const task::CompiledPlan compiled, task::compile(spec, model, options));
    return task::price_plan(compiled, model, options.devices);
}

control::TriedTask play(const control::PolicyTrialJob::Task& task, const control::ClusterState& before,
                        const control::ClusterState& after, const std::filesystem::path& data) {
    control::TriedTask tried;
    tried.task = task.id;
    tried.measured_ms = task.measured_ms;
    const auto now = price(task, before, data);
    const auto then = now ? price(task, after, data) : now;
    if (!now || !then) {
        tried.error = now ? then.error() : now.error();
        return tried;
    }
    tried.before_ms = now->predicted_step_ms;
    tried.after_ms = then->predicted_step_ms;
    tried.before_paths = paths_text(*now);
    tried.after_paths = paths_text(*then);
    return tried;
}

/// Returns notes about entries whose effect the simulator cannot show.
std::vector<std::string> unplayed(const std::vector<control::PolicyEntry>& entries) {
    const auto any = [&](auto holds) { return std::ranges::any_of(entries, holds); };
    std::vector<std::string> notes;
    if (any([](const auto& one) { return one.key == PolicyKey::window; }))
        notes.emplace_back("window: the simulator has no credit; links are priced as if windows were large enough");
    if (any([](const auto& one) { return one.key == PolicyKey::share && one.value > 0 && one.value < 100; }))
        notes.emplace_back("share: all tensors of a flow are simulated on the path that most of them take");
    if (any([](const auto& one) { return one.key == PolicyKey::share && one.from.find('/') != std::string::npos; }))
        notes.emplace_back("share between two SIDs: paths are simulated only for pairs of gateways");
    if (any([](const auto& one) { return one.key == PolicyKey::adapt; }))
        notes.emplace_back("adapt: later changes by the orchestrator are not simulated");
    if (any([](const auto& one) { return one.key == PolicyKey::balancing; }))
        notes.emplace_back("balancing: the simulation assigns micro-batches to data instances in turn");
    if (any([](const auto& one) { return about_gateway(one.key); }))
        notes.emplace_back("rates, retries and breakers of gateways are not simulated");
    if (any([](const auto& one) { return about_device(one.key); }))
        notes.emplace_back("alarms: immediate reports of devices change no step, and are not simulated");
    if (any([](const auto& one) { return one.key == PolicyKey::send; }))
        notes.emplace_back("send: all flows are simulated as admitted, without the decisions of gateways");
    return notes;
}

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

Result<control::PolicyTrial> play_policy(const control::PolicyTrialJob& job, const std::filesystem::path& data,
                                         const std::function<bool()>& stop) {
    control::ClusterState after = job.nodes;
    control::PolicyVersion next;
    next.version = after.policies.empty() ? 1 : after.policies.rbegin()->first + 1;
    next.entries = job.entries;
    after.policies[next.version] = next;
    control::PolicyTrial trial{job.change, {}, job.notes};
    for (const control::PolicyTrialJob::Task& task : job.tasks) {
        if (stop()) return Error{ErrorCode::unavailable, "the orchestrator ends", "policies try", "ask again"};
        trial.tasks.push_back(play(task, job.nodes, after, data));
    }
    for (std::string& note : unplayed(job.entries)) trial.notes.push_back(std::move(note));
    return trial;
}

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
