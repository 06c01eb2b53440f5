// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/orchestrator_process.h"

#include <utility>

#include "tests/sim/task_text.h"

namespace divisi::sim {

using namespace control;
using std::chrono::milliseconds;

namespace {

/// Upper bound for the connections that one orchestrator process has accepted by the end of a `gentle` world.
constexpr std::uint64_t most_accused = 100;

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

OrchestratorProcess::OrchestratorProcess(Surroundings around, Place place, Disk& disk, Events events, InjectedBug bug)
    : Process(around, std::move(place)),
      disk_(disk),
      journal_(disk.open()),
      host_(loop_, *journal_, callbacks(std::move(events))) {
    const auto findings = host_.restore();
    if (!findings) watch().violate("the journal does not open: " + findings.error().message());
    watch().restored(host_.core().state());
    if (bug == InjectedBug::forgets_to_adopt) start_without_adoption();
    else start();
    const auto heard = host_.sockets().listen(sockets(), orchestrator_address.endpoint);
    if (!heard) watch().violate(heard.error().message());
    looked_ = loop_.now();
    if (bug == InjectedBug::accuses_after_a_pause) accuse();
}

void OrchestratorProcess::start() { (void)host_.start("sim", "1", false); }

/// Presents running tasks as queued during the start. The orchestrator then does not rebuild its data about these tasks
/// outside the state.
void OrchestratorProcess::start_without_adoption() {
    ClusterState state = host_.core().state();
    std::map<TaskId, TaskPhase> phases;
    for (auto& [id, task] : state.tasks)
        if (task.runs()) phases[id] = std::exchange(task.phase, TaskPhase::queued);
    host_.core().restore(std::move(state), {});
    start();
    state = host_.core().state();
    for (const auto& [id, phase] : phases) state.tasks.at(id).phase = phase;
    host_.core().restore(std::move(state), {});
}

orchestrator::OrchestratorHost::Callbacks OrchestratorProcess::callbacks(Events events) {
    return {[](const TaskId&, const std::string&) -> Result<void> { return {}; },
            [](const TaskId&) {},
            [](std::span<const Event>) {},
            [this](const Job& job) { begin(job); },
            std::move(events.over),
            std::move(events.ended)};
}

/// Runs a planning job in the background, after the jobs before it. Ignores other jobs, which nobody needs here.
void OrchestratorProcess::begin(const Job& job) {
    planned_ = std::max(planned_, loop_.now() + world().between(milliseconds(1), milliseconds(200)));
    const auto* planning = get_if<Planning>(&job.what);
    if (!planning) return;
    loop_.after(planned_ - loop_.now(), [this, id = job.id, planning = *planning] {
        host_.feed(JobDone{id, plan_of(*planning.submission, planning.before)});
    });
}

/// InjectedBug::accuses_after_a_pause: declares all peers silent if the last call is longer ago than peer_timeout. Only
/// a pause of the orchestrator itself has this effect.
void OrchestratorProcess::accuse() {
    loop_.after(heartbeat_interval, [this] { accuse(); });
    const bool all_silent = loop_.now() - std::exchange(looked_, loop_.now()) > peer_timeout;
    for (std::uint64_t peer = 1; all_silent && peer <= most_accused; ++peer) {
        host_.sockets().close(PeerId(peer));
        host_.feed(PeerGone{PeerId(peer), "it fell silent"});
    }
}

}  // namespace divisi::sim
