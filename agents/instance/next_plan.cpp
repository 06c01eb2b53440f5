// SPDX-License-Identifier: Apache-2.0
// Prepares the next plan of a task in a process that plays an instance of it. The plan is compiled and its segment
// built while the current plan still trains, so that later only tensors have to be loaded.
#include <utility>

#include "agents/instance/guard.h"
#include "agents/instance/server.h"

namespace divisi::instance {

void Server::prepare_plan(const control::PreparePlan& order) {
    preparer_ = std::thread([this, order, before = std::move(preparer_)]() mutable {
        // joins the preparer of an aborted re-cut here, so that the loop does not wait for it
        if (before.joinable()) before.join();
        const auto plan =
            guard(config_.instance.value() + ": preparing the next plan", [&] { return prepare_next(order); });
        control::PlanPrepared told;
        told.order = order.order;
        if (plan) told.plan_hash = *plan;
        else told.error = plan.error();
        post(control::instance::PlanCompiled{std::move(told)});
    });
}

/// Compiles the next plan and returns its hash. If its segment cannot be built ahead, that is only reported: the
/// segment is then built later, as after a fault.
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
        post(control::instance::NonFatalError{std::move(error)});
    }
    return plan->hash;
}

/// Builds the segment without initialising its weights: they are restored from the last step of the old plan. Builds
/// nothing if the segment does not change.
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

/// Drops the plans that an aborted re-cut left, and older plans.
void Server::forget_plans_but(const control::Deploy& deploy) {
    const std::lock_guard lock(plans_mutex_);
    std::erase_if(kept_.plans, [&](const KeptPlan& one) { return !one.is_of(deploy); });
}

std::optional<BuiltSegment> Server::take_built() {
    const std::lock_guard lock(plans_mutex_);
    return std::exchange(kept_.built, std::nullopt);
}

/// Returns the segment that was built ahead; null if none fits the deployment. A segment that does not fit is dropped.
std::unique_ptr<segment::Executor> Server::take_built(const control::Deploy& deploy,
                                                      const std::shared_ptr<const task::CompiledPlan>& plan) {
    std::optional<BuiltSegment> built = take_built();
    if (!built || !built->serves(deploy, plan)) return nullptr;
    if (keeper_) keeper_->write(store::EventRow{loop_.clock().now(), "built beforehand", "plan " + plan->hash});
    return std::move(built->executor);
}

}  // namespace divisi::instance
