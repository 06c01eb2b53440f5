// SPDX-License-Identifier: Apache-2.0
#include "backend/task/priced_plan.h"

#include <cmath>

#include "backend/task/error_texts.h"

namespace divisi::task {

namespace {

/// Limit for one size in a received plan, so that the sums of a stage's sizes do not overflow.
constexpr Bytes most_size = Bytes{1} << 60;

bool is_amount(double number) { return std::isfinite(number) && number >= 0; }

}  // namespace

Result<void> check_priced(const PricedPlan& plan) {
    const auto bad = [](const std::string& what) {
        return make_error(error_text("no-amount-in-plan"), "the plan", {what});
    };
    for (const double number : {plan.objective_ms, plan.lower_bound_ms, plan.predicted_step_ms, plan.profiled_share})
        if (!is_amount(number)) return bad("a time of the whole plan");
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const price::PredictedStage& stage = plan.stages[i].prediction;
        const std::string name = "of stage " + std::to_string(i);
        for (const double number :
             {stage.flops, stage.flops_share, stage.work_ms, stage.profiled_share, stage.busy_ms, stage.bubble})
            if (!is_amount(number)) return bad("a number " + name);
        for (const Bytes bytes :
             {stage.sent_forward, stage.sent_backward, stage.sent_shared, stage.memory, stage.capacity.value_or(0)})
            if (bytes < 0 || bytes > most_size) return bad("a size " + name);
    }
    for (const double number : {plan.data.microbatch_ms, plan.data.busy_ms, plan.data.bubble})
        if (!is_amount(number)) return bad("a time of the data instances");
    for (const Bytes bytes : {plan.data.sent, plan.data.memory})
        if (bytes < 0 || bytes > most_size) return bad("a size of the data instances");
    for (const PricedPath& path : plan.paths)
        for (const double number : {path.latency_ms, path.bytes_per_s, path.tensor_ms})
            if (!is_amount(number)) return bad("a figure of the path to stage " + std::to_string(path.to));
    for (const search::StageCount& count : plan.stage_counts)
        if (!is_amount(count.slowest) || !std::isfinite(count.buys)) return bad("the gain of a number of stages");
    for (const PartPrediction& part : plan.parts)
        if (!is_amount(part.flops) || !is_amount(part.flops_share)) return bad("the work of part '" + part.name + "'");
    return {};
}

}  // namespace divisi::task
