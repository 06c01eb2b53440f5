// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "backend/control/dispatch/orchestrator.h"

namespace divisi::control::test {

/// Runs the planning jobs that `output` asks for, as the background worker would, and adds the orchestrator's reaction.
/// Other jobs stay in the output. `plan` makes a PlanSummary from a SubmitTask.
template <typename Plan>
Output plan_at_once(Orchestrator& core, Output output, TimePoint now, const Plan& plan) {
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    for (Job& job : std::exchange(output.jobs, {})) {
        const auto* planning = get_if<Planning>(&job.what);
        if (!planning) {
            output.jobs.push_back(std::move(job));
            continue;
        }
        Output next = plan_at_once(core, core.step(JobDone{job.id, plan(*planning->submission)}, now), now, plan);
        append(output.events, next.events);
        append(output.sends, next.sends);
        append(output.closes, next.closes);
        append(output.forgotten, next.forgotten);
        append(output.jobs, next.jobs);
        output.exit |= next.exit;
    }
    return output;
}

}  // namespace divisi::control::test
