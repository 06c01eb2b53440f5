// SPDX-License-Identifier: Apache-2.0
// Handles the reports of instances during training.
#include <algorithm>
#include <limits>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/runs/runs.h"

namespace divisi::control::inline runs {
namespace {

/// Patience in whole steps; a single operation is only a part of a step.
constexpr int steps_of_patience = 10;

/// Returns whether this generation already reported the record. It may repeat steps of an earlier generation.
template <typename Record>
bool is_known(const std::deque<Record>& curve, const Record& record) {
    return !curve.empty() && record.generation == curve.back().generation && record.step <= curve.back().step;
}

}  // namespace

void Runs::handle(const Received&, const StepReport& message) { step_done(message.task, message.record); }

void Runs::handle(const Received&, const EvalReport& message) { evaluated(message.task, message.record); }

/// Takes missed reports in the order of events: an evaluation follows its step.
void Runs::handle(const Received&, const MissedReports& message) {
    auto evaluation = message.evaluations.begin();
    const auto evaluations_before = [&](std::int64_t step) {
        for (; evaluation != message.evaluations.end() && evaluation->step < step; ++evaluation)
            evaluated(message.task, *evaluation);
    };
    for (const StepRecord& record : message.steps) {
        evaluations_before(record.step);
        step_done(message.task, record);
    }
    evaluations_before(std::numeric_limits<std::int64_t>::max());
}

void Runs::step_done(const TaskId& id, const StepRecord& record) {
    if (!runs_.contains(id) || !in_force(id, record.generation)) return;
    if (is_known(context_.state().tasks.at(id).history, record)) return;
    if (auto fits = check_heads(record.heads); !fits) return fail(id, {}, fits.error());
    context_.append(StepDone{id, record});
}

void Runs::evaluated(const TaskId& id, const EvalRecord& record) {
    if (!runs_.contains(id) || !in_force(id, record.generation)) return;
    if (is_known(context_.state().tasks.at(id).evaluations, record)) return;
    if (auto fits = check_heads(record.heads); !fits) return fail(id, {}, fits.error());
    context_.append(Evaluated{id, record});
}

void Runs::handle(const Received&, const LoadReport& message) {
    InstanceLoad load = message.load;
    leases_.loaded(load);
    Run* run = run_of(load.instance);
    if (!run || !in_force(context_.state().instances.at(load.instance).task, load.generation)) return;
    const std::string clock = clock_of(context_.state(), context_.state().instances.at(load.instance).node);
    load.measured = context_.clocks().moment(clock, load.measured, context_.now());
    new_loads_.insert_or_assign(load.instance, load);
    run->loads[load.instance] = load;
    if (load.step > 0) leases_.activate(load.instance);  // even if the InstanceActivated of its first data was lost
    look_for_stuck(*run, load);
    const TaskView& task = task_of(context_.state().instances.at(load.instance));
    if (!in_force(task.id, load.generation)) return;  // the task is recovering from it
    const bool waits = std::chrono::milliseconds(load.waits_ms) >= context_.limits().quiet;
    if (waits || !task.phase_detail.empty()) say_who_is_awaited(task.id, *run);  // waits of other tasks are unchanged
    run->heard.insert(load.instance);
    advance_phase(*run, task);
}

/// Ends a passage of the telemetry and policy cycle once all instances have reported under the policy in force. A task
/// has one passage at its start, and one for each policy that arrives while it runs (draft 002, 4.4 3 and 4).
void Runs::advance_phase(Run& run, const TaskView& task) {
    const bool open = task.passages == 0 || task.adapting;
    if (!open || task.phase != TaskPhase::exchange) return;
    if (!std::ranges::all_of(needed(task.id), [&](auto* one) { return run.heard.contains(one->id); })) return;
    run.heard.clear();
    context_.append(PhaseChanged{task.id, TaskPhase::telemetry, task.phase_detail});
}

/// Returns how long an instance of a task that recovers may stay in one operation whose inputs it has. This is far
/// longer than its stage computes in a step. The time of a process's first step is unknown.
Duration Runs::patience(const TaskView& task) const {
    if (task.history.empty() || task.history.back().generation != task.generation) return context_.limits().suspect;
    const Duration step = std::chrono::milliseconds(static_cast<std::int64_t>(task.history.back().step_ms));
    return std::max(context_.limits().stuck, steps_of_patience * step);
}

/// Marks an instance as suspect if it sends heartbeats but stays in one operation, since it may still finish. If its
/// task recovers from faults, the instance fails instead.
void Runs::look_for_stuck(Run& run, const InstanceLoad& load) {
    const InstanceView& instance = context_.state().instances.at(load.instance);
    if (instance.state != InstanceState::running) return;
    const TaskView& task = task_of(instance);
    const Duration stays = std::chrono::milliseconds(load.operation_ms);
    if (task.answer != task::FaultAnswer::fail && stays >= patience(task))
        return fail(task.id, load.instance,
                    {ErrorCode::deadline,
                     "the instance makes no progress: in " + load.operation + " for " +
                         std::to_string(load.operation_ms / 1000) + " s already",
                     load.instance.value(), "see the log of its node, then submit the task again"},
                    Fault::lost);
    const bool stuck = stays >= context_.limits().suspect;
    if (stuck == run.suspect.contains(load.instance)) return;
    if (!stuck) {
        run.suspect.erase(load.instance);
        return context_.append(InstanceChanged{load.instance, InstanceState::running, ""});
    }
    run.suspect.insert(load.instance);
    const std::string what =
        "suspect: in " + load.operation + " for " + std::to_string(load.operation_ms / 1000) + " s already";
    context_.append(InstanceChanged{load.instance, InstanceState::running, what});
    context_.append(Noted{Severity::warning, "instance " + load.instance.value(), instance.task.value(),
                          what + "; stop the task if it does not come out of it"});
}

std::vector<InstanceLoad> Runs::take_new_loads() {
    std::vector<InstanceLoad> loads;
    for (auto& [instance, load] : std::exchange(new_loads_, {})) loads.push_back(std::move(load));
    return loads;
}

std::vector<InstanceLoad> Runs::loads() const {
    std::vector<InstanceLoad> loads;
    for (const auto& [task, run] : runs_)
        for (const auto& [instance, load] : run.loads) loads.push_back(load);
    return loads;
}

}  // namespace divisi::control::inline runs
