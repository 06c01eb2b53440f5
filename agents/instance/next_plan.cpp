// SPDX-License-Identifier: Apache-2.0
// The plan that a task is to go on by, in a process that is to play one of its instances: it is compiled and its
// segment built while the plan before it trains, so that then only tensors are put in.
#include <utility>

#include "agents/instance/guard.h"
#include "agents/instance/server.h"

namespace divisi::instance {

void Server::prepare_plan(const control::PreparePlan& order) {
    preparer_ = std::thread([this, order, before = std::move(preparer_)]() mutable {
        if (before.joinable()) before.join();  // of a re-cut that was given up; the loop must not wait for it
        const auto plan =
            guard(config_.instance.value() + ": preparing the next plan", [&] { return prepare_next(order); });
        control::PlanPrepared told;
        told.order = order.order;
        if (plan) told.plan_hash = *plan;
        else told.error = plan.error();
        post(control::instance::PlanCompiled{std::move(told)});
    });
}

/// The hash of the plan. That its segment is not built beforehand is no obstacle: it is then, as after a fault.
Result<std::string> Server::prepare_next(const control::PreparePlan& order) {
    forget_plans_but(deploy_);
    (void)take_built();
    control::Deploy next = deploy_;
    next.text = order.text;
    DIVISI_ASSIGN(const auto plan, compiled(next));
    const auto built = guard(config_.instance.value() + ": building its segment of the next plan",
                             [&] { return build_ahead(order.stage, plan); });
    if (!built) {
        Error error = built.error();
        error.what = "its segment of the next plan is not built beforehand: " + error.what;
        post(control::instance::Trouble{std::move(error)});
    }
    return plan->hash;
}

/// Its weights are not drawn: those of the step at which the plan before ends are put back. Where the segment stays as
/// it is, nothing is to be built.
Result<void> Server::build_ahead(std::int32_t stage, const std::shared_ptr<const task::CompiledPlan>& plan) {
    if (stage < 0 || task::is_batch(plan->spec)) return {};
    if (static_cast<std::size_t>(stage) >= plan->partition.segments.size())
        return Error{ErrorCode::invalid_input, "plan " + plan->hash + " has no stage " + std::to_string(stage),
                     config_.instance.value(), "run the same version on every node"};
    segment::SegmentConfig config = segment_config(*plan, stage);
    if (deploy_.stage >= 0 && is_same(segment_config(*plan_, deploy_.stage), config)) return {};
    config.restored = true;
    DIVISI_ASSIGN(auto executor, segment::make_executor(config, weight_reader(plan)));
    const std::lock_guard lock(plans_mutex_);
    kept_.built = BuiltSegment{plan, stage, std::move(executor)};
    return {};
}

/// What a re-cut that was given up has left, and the plan before this one.
void Server::forget_plans_but(const control::Deploy& deploy) {
    const std::lock_guard lock(plans_mutex_);
    std::erase_if(kept_.plans, [&](const KeptPlan& one) { return !one.is_of(deploy); });
}

std::optional<BuiltSegment> Server::take_built() {
    const std::lock_guard lock(plans_mutex_);
    return std::exchange(kept_.built, std::nullopt);
}

/// Null where nothing is built that serves; it is not kept then.
std::unique_ptr<segment::Executor> Server::take_built(const control::Deploy& deploy,
                                                      const std::shared_ptr<const task::CompiledPlan>& plan) {
    std::optional<BuiltSegment> built = take_built();
    if (!built || !built->serves(deploy, plan)) return nullptr;
    if (keeper_) keeper_->write(store::EventRow{loop_.clock().now(), "built beforehand", "plan " + plan->hash});
    return std::move(built->executor);
}

}  // namespace divisi::instance
