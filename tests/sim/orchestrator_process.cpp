// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/orchestrator_process.h"

#include "tests/sim/task_text.h"

namespace divisi::sim {

using namespace control;
using std::chrono::milliseconds;

namespace {

Result<PlanSummary> plan_of(const SubmitTask& submission, const std::string& before) {
    DIVISI_ASSIGN(const TaskText text, read_task(submission.text));
    PlanSummary plan;
    plan.name = text.name;
    plan.stages = text.stages();
    plan.steps = text.steps;
    plan.checkpoint = text.checkpoint;
    plan.answer = text.answer;
    plan.cuts = text.cuts();
    plan.plan_hash = text.plan_hash();
    if (before.empty()) return plan;
    DIVISI_ASSIGN(const TaskText old, read_task(before));
    plan.inherits = text.inherits(old);
    return plan;
}

}  // namespace

OrchestratorProcess::OrchestratorProcess(Surroundings around, Place place, Disk& disk, Events events)
    : Process(around, std::move(place)),
      disk_(disk),
      journal_(disk.open()),
      conductor_(loop_, *journal_, hands(std::move(events))) {
    const auto findings = conductor_.restore();
    if (!findings) watch().violate("the journal does not open: " + findings.error().message());
    watch().restored(conductor_.core().state());
    (void)conductor_.start("sim", "1", false);
    const auto heard = conductor_.sockets().listen(sockets(), orchestrator_address.endpoint);
    if (!heard) watch().violate(heard.error().message());
}

orchestrator::Conductor::Hands OrchestratorProcess::hands(Events events) {
    return {[](const TaskId&, const std::string&) -> Result<void> { return {}; },
            [](const TaskId&) {},
            [](std::span<const Event>) {},
            [this](const Job& job) { begin(job); },
            std::move(events.over),
            std::move(events.ended)};
}

/// Beside the loop, which goes on meanwhile; one job after the other.
void OrchestratorProcess::begin(const Job& job) {
    planned_ = std::max(planned_, loop_.now() + world().between(milliseconds(1), milliseconds(200)));
    const auto* planning = std::get_if<Planning>(&job.what);
    if (!planning) return;
    loop_.after(planned_ - loop_.now(), [this, id = job.id, planning = *planning] {
        conductor_.feed(JobDone{id, plan_of(*planning.submission, planning.before)});
    });
}

}  // namespace divisi::sim
