// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/task_reports.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/runs/task_instances.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline runs {
namespace {

/// Time limit of one operation, in steps of the task; a single operation is only a part of a step.
constexpr int steps_of_patience = 10;

/// Returns whether this generation already reported the record. A generation may repeat steps of an earlier generation.
template <typename Record>
bool is_known(const std::deque<Record>& curve, const Record& record) {
    return !curve.empty() && record.generation == curve.back().generation && record.step <= curve.back().step;
}

}  // namespace

void TaskReports::handle(const Received&, const StepReport& message) { step_done(message.task, message.record); }

void TaskReports::handle(const Received&, const EvalReport& message) { evaluated(message.task, message.record); }

void TaskReports::follow(const Event& event) {
    if (const auto* ended = get_if<TaskEnded>(&event.body)) reports_.erase(ended->task);
    if (holds_alternative<PolicyChanged>(event.body))
        for (auto& [task, reports] : reports_) reports.heard.clear();
}

TaskReports::Reports* TaskReports::reports_of(const InstanceId& instance) {
    if (!is_current(context_.state(), instance)) return nullptr;
    const auto found = reports_.find(context_.state().instances.at(instance).task);
    return found == reports_.end() ? nullptr : &found->second;
}

/// Handles missed reports in the order of events: an evaluation follows its step.
void TaskReports::handle(const Received&, const MissedReports& message) {
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

void TaskReports::step_done(const TaskId& id, const StepRecord& record) {
    if (!reports_.contains(id) || !is_in_force(context_.state(), id, record.generation)) return;
    if (is_known(context_.state().tasks.at(id).history, record)) return;
    if (auto fits = check_heads(record.heads); !fits) return control_.fail(id, {}, fits.error(), Fault::said);
    context_.append(StepDone{id, record});
}

void TaskReports::evaluated(const TaskId& id, const EvalRecord& record) {
    if (!reports_.contains(id) || !is_in_force(context_.state(), id, record.generation)) return;
    if (is_known(context_.state().tasks.at(id).evaluations, record)) return;
    if (auto fits = check_heads(record.heads); !fits) return control_.fail(id, {}, fits.error(), Fault::said);
    context_.append(Evaluated{id, record});
}

void TaskReports::handle(const Received&, const LoadReport& message) {
    InstanceLoad load = message.load;
    leases_.loaded(load);
    Reports* reports = reports_of(load.instance);
    if (!reports) return;
    const InstanceView& instance = context_.state().instances.at(load.instance);
    if (!is_in_force(context_.state(), instance.task, load.generation)) return;
    const std::string clock = clock_of(context_.state(), instance.node);
    load.measured = context_.clocks().moment(clock, load.measured, context_.now());
    new_loads_.insert_or_assign(load.instance, load);
    reports->loads[load.instance] = load;
    if (load.step > 0) leases_.activate(load.instance);  // covers a lost InstanceActivated message
    look_for_stuck(*reports, load);
    const TaskView& task = context_.state().tasks.at(instance.task);
    if (!is_in_force(context_.state(), task.id, load.generation)) return;  // the load is of an old generation
    const bool waits = std::chrono::milliseconds(load.waits_ms) >= context_.limits().quiet;
    if (waits || !task.phase_detail.empty()) control_.update_waits(task.id);  // the waits of other tasks do not change
    reports->heard.insert(load.instance);
    advance_phase(*reports, task);
}

/// Ends a round of the telemetry and policy cycle once all instances have reported under the policy in force. A task
/// has one round at its start, and one for each policy that arrives while it runs (draft 002, 4.4 3 and 4).
void TaskReports::advance_phase(Reports& reports, const TaskView& task) {
    const bool open = task.passages == 0 || task.adapting;
    if (!open || task.phase != TaskPhase::exchange) return;
    const auto needed = needed_instances(context_.state(), task.id);
    if (!std::ranges::all_of(needed, [&](auto* one) { return reports.heard.contains(one->id); })) return;
    reports.heard.clear();
    context_.append(PhaseChanged{task.id, TaskPhase::telemetry, task.phase_detail});
}

/// Returns how long an instance may stay in one operation that has its inputs, if its task can recover. The limit is
/// far longer than a stage computes in a step. The time of a process's first step is unknown.
Duration TaskReports::patience(const TaskView& task) const {
    if (task.history.empty() || task.history.back().generation != task.generation) return context_.limits().suspect;
    const Duration step = std::chrono::milliseconds(static_cast<std::int64_t>(task.history.back().step_ms));
    return std::max(context_.limits().stuck, steps_of_patience * step);
}

/// Marks an instance as suspect if it sends heartbeats but stays in one operation, since it may still finish. If its
/// task can recover from faults, the instance fails instead.
void TaskReports::look_for_stuck(Reports& reports, const InstanceLoad& load) {
    const InstanceView& instance = context_.state().instances.at(load.instance);
    if (instance.state != InstanceState::running) return;
    const TaskView& task = context_.state().tasks.at(instance.task);
    const Duration stays = std::chrono::milliseconds(load.operation_ms);
    if (task.answer != task::FaultAnswer::fail && stays >= patience(task))
        return control_.fail(task.id, load.instance,
                             make_error(error_text("instance-stuck"), load.instance.value(),
                                        {load.operation, std::to_string(load.operation_ms / 1000)}),
                             Fault::lost);
    const bool stuck = stays >= context_.limits().suspect;
    if (stuck == reports.suspect.contains(load.instance)) return;
    if (!stuck) {
        reports.suspect.erase(load.instance);
        return context_.append(InstanceChanged{load.instance, InstanceState::running, ""});
    }
    reports.suspect.insert(load.instance);
    const std::string what =
        "suspect: in " + load.operation + " for " + std::to_string(load.operation_ms / 1000) + " s already";
    context_.append(InstanceChanged{load.instance, InstanceState::running, what});
    context_.append(Noted{Severity::warning, "instance " + load.instance.value(), instance.task.value(),
                          what + "; stop the task if this operation does not end"});
}

void TaskReports::forget(const InstanceId& instance) {
    const auto found = reports_.find(context_.state().instances.at(instance).task);
    if (found == reports_.end()) return;
    found->second.loads.erase(instance);
    found->second.suspect.erase(instance);
}

void TaskReports::resume_steps(const TaskId& task) {
    const auto found = reports_.find(task);
    if (found == reports_.end() || !std::exchange(found->second.stands, false)) return;
    for (auto& [instance, load] : found->second.loads) load.waits_ms = 0;  // the instances were paused and now continue
}

/// Adds idle instances for which others have waited too long: their data does not reach the waiting instances. A wait
/// for an instance that computes is normal.
void TaskReports::add_awaited(const TaskId& task, std::set<std::string>& awaited) const {
    const auto found = reports_.find(task);
    if (found == reports_.end() || found->second.stands) return;
    const auto& loads = found->second.loads;
    for (const auto& [id, load] : loads) {
        if (std::chrono::milliseconds(load.waits_ms) < context_.limits().quiet) continue;
        for (const InstanceId& other : load.waits_for) {
            const auto its = loads.find(other);
            if (its != loads.end() && its->second.operation.empty() &&
                !context_.sessions().instances_away().contains(other))
                awaited.insert("instance " + other.value() + " (no data from it reaches " + id.value() + ")");
        }
    }
}

std::vector<InstanceLoad> TaskReports::take_new_loads() {
    std::vector<InstanceLoad> loads;
    for (auto& [instance, load] : std::exchange(new_loads_, {})) loads.push_back(std::move(load));
    return loads;
}

std::vector<InstanceLoad> TaskReports::loads() const {
    std::vector<InstanceLoad> loads;
    for (const auto& [task, reports] : reports_)
        for (const auto& [instance, load] : reports.loads) loads.push_back(load);
    return loads;
}

}  // namespace divisi::control::inline runs
