// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recut_adviser.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "backend/control/change/recut_text.h"
#include "backend/control/policy/policies.h"
#include "backend/control/state/curve.h"
#include "backend/control/state/trial_state.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::control::inline change {
namespace {

constexpr std::size_t newest_steps = 20;  // steps whose median is the task's step time
constexpr double newest_share = 0.3;      // weight of the newest report in the smoothed share

/// Returns whether both pieces of advice agree in plan, cuts and verdict. Ignores the measured figures, which always
/// differ.
bool says_the_same(const RecutAdvice& one, const RecutAdvice& other) {
    return one.plan == other.plan && one.cuts == other.cuts && one.worth == other.worth &&
           verdict_of(one) == verdict_of(other);
}

}  // namespace

void RecutAdviser::take(const std::vector<InstanceLoad>& loads) {
    for (const InstanceLoad& load : loads) {
        const auto instance = context_.state().instances.find(load.instance);
        if (instance == context_.state().instances.end() || instance->second.stage < 0) continue;
        const auto task = context_.state().tasks.find(instance->second.task);
        if (task == context_.state().tasks.end() || !trains_now(task->second) || load.step == 0) continue;
        if (load.generation != task->second.generation || !std::isfinite(load.busy_share)) continue;
        const auto [care, fresh] = cares_.try_emplace(task->first);
        // After a restart, the time when the plan took effect is unknown.
        if (fresh) care->second.since = context_.lived();
        if (care->second.stands) continue;
        Busy& busy = care->second.busy[load.instance];
        const double share = std::clamp(load.busy_share, 0.0, 1.0);
        busy.share = busy.reports == 0 ? share : busy.share + newest_share * (share - busy.share);
        ++busy.reports;
        if (std::exchange(busy.step, load.step) != load.step) busy.moving = busy.share;
    }
}

/// Returns the computing time of each stage in one step, in ms.
Result<std::vector<double>> RecutAdviser::measured(const TaskView& task, const Care& care) const {
    const double step_ms = recent_step_ms(task.history, newest_steps);
    std::vector<double> busy_ms(task.cuts.size() + 1);
    std::size_t found = 0;
    for (const InstanceView* one : instances_of(context_.state(), task.id)) {
        if (one->stage < 0) continue;
        const auto busy = care.busy.find(one->id);
        const auto stage = static_cast<std::size_t>(one->stage);
        if (busy == care.busy.end() || busy->second.reports < advised_reports || stage >= busy_ms.size())
            return make_error(error_text("advice-stage-unmeasured"), task.id.value(), {std::to_string(one->stage)});
        busy_ms[stage] = busy->second.share * step_ms;
        ++found;
    }
    if (found == busy_ms.size()) return busy_ms;
    return make_error(error_text("advice-stages-missing"), task.id.value());
}

Result<RecutFigures> RecutAdviser::figures(const TaskId& id) const {
    const auto found = context_.state().tasks.find(id);
    if (found == context_.state().tasks.end()) return context_.no_such_task(id);
    const TaskView& task = found->second;
    if (!trains_now(task))
        return make_error(error_text("advice-task-not-training"), id.value(), {to_string(task.phase)});
    if (task.cuts.empty()) return make_error(error_text("advice-without-cuts"), id.value());
    const auto care = cares_.find(id);
    if (care == cares_.end() || task.step < task.from_step + advised_steps)
        return make_error(error_text("advice-too-few-steps"), id.value());
    RecutFigures figures;
    DIVISI_ASSIGN(figures.busy_ms, measured(task, care->second));
    figures.step_ms = recent_step_ms(task.history, newest_steps);
    figures.stall_ms = care->second.stall_ms;
    figures.steps_left = task.steps - task.step;
    return figures;
}

Result<void> RecutAdviser::begin(JobBook::Asked asked, const RecutFigures& figures) {
    const ClusterState& state = context_.state();
    const TaskView& task = state.tasks.at(asked.advised);
    PlanSummary in_force;
    in_force.name = task.name;
    in_force.cuts = task.cuts;
    RecutTrialJob job;
    DIVISI_ASSIGN(job.text, with_found_cuts(task.text, in_force));
    job.skeleton = models_.of(task.id);
    job.busy_ms = figures.busy_ms;
    job.stage_nodes = stage_nodes_of(state, task.id, figures.busy_ms.size());
    job.nodes = state_for_trials(state);
    asked.plan_since = task.plan_since;
    return context_.begin(std::move(asked), std::move(job), context_.limits().recut_trials);
}

void RecutAdviser::handle(const Received& received, const AskRecutAdvice& message) {
    const auto known = figures(message.task);
    if (!known) return context_.refuse(received, known.error());
    JobBook::Asked asked{received.peer, received.correlation};
    asked.advised = message.task;
    if (const auto begun = begin(std::move(asked), *known); !begun) context_.refuse(received, begun.error());
}

void RecutAdviser::poll() {
    const TimePoint now = context_.lived();
    for (auto& [id, care] : cares_) {
        const bool woken = !care.causes.empty() && now >= care.woken;
        if ((now < care.due && !woken) || care.looks || recuts_.changes(id)) continue;
        if (now >= care.due) care.due = now + advice_interval;
        look_at(id, care);
    }
}

void RecutAdviser::look_at(const TaskId& id, Care& care) {
    const bool woken = !care.causes.empty();
    if (woken) care.woken = context_.lived() + cause_pause;
    const auto known = figures(id);
    if (!known || (!woken && !care.pursued && imbalance(known->busy_ms) < even_enough)) {
        care.agreeing = 0;
        return;
    }
    JobBook::Asked asked;
    asked.advised = id;
    if (!begin(std::move(asked), *known)) return;  // the limit of searches is reached; the task is tried again later
    care.looks = true;
    care.looked = context_.lived();
    care.because = care.causes.take();
}

/// Ends the search for a task. Returns the cause of the search; empty if the search was due by time.
std::string RecutAdviser::end_look(const TaskId& task) {
    const auto care = cares_.find(task);
    if (care == cares_.end()) return "";
    care->second.looks = false;
    return std::exchange(care->second.because, {});
}

/// Sends the result to the client that asked. Other clients see it in the task and in the log.
void RecutAdviser::tried(const JobBook::Asked& asked, const Result<RecutTrial>& trial) {
    const bool waits = context_.sessions().contains(asked.peer);
    const bool unasked = asked.peer == PeerId();  // advice that no client asked for
    const std::string because = unasked ? end_look(asked.advised) : "";
    const Received received{asked.peer, asked.correlation, {}};
    auto known = figures(asked.advised);  // the task may have been re-cut or have ended
    if (!trial || !known) {
        if (waits) context_.refuse(received, trial ? known.error() : trial.error());
        return;
    }
    const TaskView& task = context_.state().tasks.at(asked.advised);
    if (task.plan_since != asked.plan_since) {
        if (waits) context_.refuse(received, make_error(error_text("advice-outdated"), task.id.value()));
        return;
    }
    known->before_ms = trial->before_ms;
    known->after_ms = trial->after_ms;
    RecutAdvised advised{advise(*known, trial->cuts), false, ""};
    advised.advice.task = task.id;
    advised.advice.plan = task.plan_hash;
    advised.followed = unasked && try_follow(task, advised, cares_.at(task.id), !because.empty());
    advised.advice.why = with_cause(advised.advice.why, because);
    const bool says_more = !task.advice || !says_the_same(*task.advice, advised.advice) || !because.empty();
    if (unasked && (says_more || advised.followed)) context_.append(advised);
    if (waits) context_.answer(received, std::move(advised));
}

/// Counts consecutive pieces of advice with the same cuts. Causes can trigger searches in quick succession; searches
/// less than `advice_interval` apart count as one.
void RecutAdviser::count(const RecutAdvice& advice, Care& care) {
    const bool same = advice.cuts == care.cuts && care.agreeing > 0;
    care.cuts = advice.worth ? advice.cuts : std::vector<std::string>();
    if (!advice.worth) {
        care.agreeing = 0;
    } else if (!same || care.looked - care.counted >= advice_interval) {
        care.agreeing = same ? care.agreeing + 1 : 1;
        care.counted = care.looked;
    }
}

/// Begins a re-cut if the task follows advice automatically and nothing holds it back. Otherwise sets `held_back` to
/// the reason.
bool RecutAdviser::try_follow(const TaskView& task, RecutAdvised& advised, Care& care, bool woken) {
    const RecutAdvice& advice = advised.advice;
    count(advice, care);
    const auto spec = task::parse_task(task.text, task.id.value());
    const bool wanted = advice.worth && spec && spec->split.recut == "auto";
    care.pursued = wanted && (care.pursued || woken);
    if (!wanted) return false;
    if (const auto why = held_back(advice, context_.lived() - care.since, care.agreeing)) {
        advised.held_back = *why;
        return false;
    }
    if (const auto begun = recuts_.follow_advice(task.id, advice.cuts); !begun) {
        advised.held_back = begun.error().message();
        return false;
    }
    care.since = context_.lived();
    care.agreeing = 0;
    return true;
}

// --- causes of a search -----------------------------------------------------------------------------

void RecutAdviser::wake(const TaskId& task, const RecutCause& cause) {
    if (const auto care = cares_.find(task); care != cares_.end()) care->second.causes.add(cause, context_.lived());
}

void RecutAdviser::wake(const PolicyVersion& policy) {
    if (policy.author.starts_with(module_authors)) return;
    const std::vector<PolicyEntry> changed = changed_entries(context_.state(), policy);
    for (const auto& [id, care] : cares_) {
        const auto task = context_.state().tasks.find(id);
        if (task == context_.state().tasks.end()) continue;
        for (const PolicyEntry& entry : concerning(context_.state(), task->second, changed))
            wake(id, cause_of(policy, entry));
    }
}

void RecutAdviser::module_advised(const std::string& module, const Advice& advice, const std::vector<TaskId>& without) {
    for (const auto& [id, care] : cares_) {
        const auto task = context_.state().tasks.find(id);
        if (task == context_.state().tasks.end() || std::ranges::find(without, id) != without.end()) continue;
        if (concerns(context_.state(), task->second, advice)) wake(id, cause_of(module, advice));
    }
}

void RecutAdviser::chain_stalled(const TaskId& task, const std::string& gateway, const std::string& what) {
    const auto care = cares_.find(task);
    if (care == cares_.end()) return;
    if (!std::exchange(care->second.stands, true))
        for (auto& [instance, busy] : care->second.busy) busy.share = busy.moving;
    wake(task, {"chain at " + gateway, what});
}

void RecutAdviser::path_degraded(const TaskId& task, const std::string& ends, const std::string& what) {
    wake(task, {"link " + ends, what});
}

void RecutAdviser::follow(const Event& event) {
    if (const auto* phase = get_if<PhaseChanged>(&event.body)) {
        const bool begins = phase->phase == TaskPhase::exchange && !cares_.contains(phase->task);
        if (begins) cares_[phase->task].since = context_.lived();
    } else if (const auto* recut = get_if<TaskRecut>(&event.body)) {
        Care& care = cares_[recut->task];
        care.begun = care.since = context_.lived();
        care.busy.clear();
        care.agreeing = 0;
        care.causes.forget();
        care.pursued = care.stands = false;
    } else if (const auto* recovers = get_if<TaskRecovers>(&event.body)) {
        if (const auto care = cares_.find(recovers->task); care != cares_.end()) {
            care->second.begun.reset();  // the delay of the next step is not caused by the re-cut
            care->second.busy.clear();
            care->second.causes.forget();
            care->second.stands = false;
        }
    } else if (const auto* step = get_if<StepDone>(&event.body)) {
        const auto care = cares_.find(step->task);
        if (care == cares_.end()) return;
        care->second.stands = false;
        if (!care->second.begun) return;
        care->second.stall_ms = to_ms(context_.lived() - *care->second.begun);
        care->second.begun.reset();
    } else if (const auto* ended = get_if<TaskEnded>(&event.body)) {
        cares_.erase(ended->task);
    } else if (const auto* changed = get_if<PolicyChanged>(&event.body)) {
        wake(changed->policy);
    }
}

}  // namespace divisi::control::inline change
