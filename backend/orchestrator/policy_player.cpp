// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/policy_player.h"

#include <algorithm>
#include <set>
#include <span>

#include "backend/control/types/policy_settings.h"
#include "backend/onnx/skeleton.h"
#include "backend/submit/placement.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"
#include "backend/task/price_plan.h"

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

}  // namespace divisi::orchestrator
