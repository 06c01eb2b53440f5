// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/next_plan.h"

#include <utility>

#include "agents/instance/engine/unit_setup.h"
#include "agents/instance/keeping/guard.h"
#include "agents/instance/keeping/stored_output.h"

namespace divisi::instance {

NextPlan::NextPlan(PlanCache& plans, InstanceId instance, std::filesystem::path blobs, Events events)
    : plans_(plans), instance_(std::move(instance)), blobs_(std::move(blobs)), events_(std::move(events)) {}

void NextPlan::join() {
    if (thread_.joinable()) thread_.join();
}

void NextPlan::prepare(const control::PreparePlan& order, const control::Deploy& deploy,
                       std::shared_ptr<const task::CompiledPlan> plan) {
    thread_ =
        std::thread([this, order, current = Current{deploy, std::move(plan)}, before = std::move(thread_)]() mutable {
            // join the preparation thread of an aborted re-cut on this thread, so that the loop does not wait
            if (before.joinable()) before.join();
            const auto made =
                guard(instance_.value() + ": preparing the next plan", [&] { return compile(order, current); });
            control::PlanPrepared told;
            told.order = order.order;
            if (made) told.plan_hash = *made;
            else told.error = made.error();
            events_.prepared(std::move(told));
        });
}

/// Compiles the next plan and returns its hash. A failure to build the segment in advance is only reported. The segment
/// is then built when the new plan begins, as after a fault.
Result<std::string> NextPlan::compile(const control::PreparePlan& order, const Current& current) {
    plans_.forget_but(current.deploy);
    (void)plans_.take_built();
    control::Deploy next = current.deploy;
    next.text = order.text;
    DIVISI_ASSIGN(const auto plan, plans_.compiled(next));
    const auto built = guard(instance_.value() + ": building its segment of the next plan",
                             [&] { return build_ahead(order.stage, plan, current); });
    if (!built) {
        Error error = built.error();
        error.what = "its segment of the next plan was not built in advance: " + error.what;
        events_.trouble(error);
    }
    return plan->hash;
}

/// Builds the segment without initialising its weights: they are restored from the last step of the old plan. Builds no
/// segment if it stays the same.
Result<void> NextPlan::build_ahead(std::int32_t stage, const std::shared_ptr<const task::CompiledPlan>& plan,
                                   const Current& current) {
    if (stage < 0 || task::is_batch(plan->spec)) return {};
    if (static_cast<std::size_t>(stage) >= plan->partition.segments.size())
        return Error{ErrorCode::invalid_input, "plan " + plan->hash + " has no stage " + std::to_string(stage),
                     instance_.value(), "run the same version on every node"};
    segment::SegmentConfig config = segment_config(*plan, stage);
    const std::int32_t now = current.deploy.stage;
    if (now >= 0 && is_same(segment_config(*current.plan, now), config)) return {};
    config.restored = true;
    DIVISI_ASSIGN(auto executor, segment::make_executor(config, weight_reader(plan, current.deploy, blobs_)));
    plans_.set_built({plan, stage, std::move(executor)});
    return {};
}

}  // namespace divisi::instance
