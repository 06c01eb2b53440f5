// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/keeping/plan_cache.h"

#include <algorithm>
#include <span>
#include <utility>

#include "backend/onnx/skeleton.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"

namespace divisi::instance {
namespace {

Result<task::CompiledPlan> compile_plan(const control::Deploy& deploy) {
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(deploy.text, deploy.task.value()));
    DIVISI_ASSIGN(const graph::Graph model, task::load_model(spec, [&] {
                      return onnx::load_skeleton(std::as_bytes(std::span(deploy.skeleton)), spec.model.onnx);
                  }));
    task::CompileOptions options;
    options.task = deploy.task.value();
    return task::compile(spec, model, options);
}

}  // namespace

/// Returns the compiled plan; null if the process has not compiled it yet.
std::shared_ptr<const task::CompiledPlan> PlanCache::find(const control::Deploy& deploy) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(plans_, [&](const KeptPlan& one) { return one.is_of(deploy); });
    return found == plans_.end() ? nullptr : found->plan;
}

Result<std::shared_ptr<const task::CompiledPlan>> PlanCache::compiled(const control::Deploy& deploy) {
    if (auto plan = find(deploy)) return plan;
    DIVISI_ASSIGN(task::CompiledPlan made, compile_plan(deploy));
    auto plan = std::make_shared<const task::CompiledPlan>(std::move(made));
    const std::lock_guard lock(mutex_);
    plans_.push_back({deploy.task, deploy.text, deploy.skeleton, plan});
    return plan;
}

void PlanCache::forget_but(const control::Deploy& deploy) {
    const std::lock_guard lock(mutex_);
    std::erase_if(plans_, [&](const KeptPlan& one) { return !one.is_of(deploy); });
}

std::vector<KeptPlan> PlanCache::take_plans() {
    const std::lock_guard lock(mutex_);
    return std::exchange(plans_, {});
}

void PlanCache::set_built(BuiltSegment built) {
    const std::lock_guard lock(mutex_);
    built_ = std::move(built);
}

std::optional<BuiltSegment> PlanCache::take_built() {
    const std::lock_guard lock(mutex_);
    return std::exchange(built_, std::nullopt);
}

std::unique_ptr<segment::Executor> PlanCache::take_built(const control::Deploy& deploy,
                                                         const std::shared_ptr<const task::CompiledPlan>& plan) {
    std::optional<BuiltSegment> built = take_built();
    if (!built || !built->serves(deploy, plan)) return nullptr;
    return std::move(built->executor);
}

}  // namespace divisi::instance
