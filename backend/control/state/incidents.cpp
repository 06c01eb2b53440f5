// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/incidents.h"

#include <algorithm>
#include <array>

namespace divisi::control::inline state {
namespace {

constexpr TimePoint never{};
constexpr const char *another_fault = "another fault occurred", *task_ended = "the task ended",
                     *was_recut = "the task was re-cut";

void set_once(TimePoint& when, TimePoint now) {
    if (when == never) when = now;
}

/// Describes why an incident was not resolved, and how far the task had recovered by then.
std::string cut_short(const Incident& incident, const std::string& why) {
    return why + (incident.resumed == never ? " before the task had continued" : " before the task had caught up");
}

bool same_sid(const InstanceId& a, const InstanceId& b) { return !a.value().empty() && sid_of(a) == sid_of(b); }

}  // namespace

const char* to_string(IncidentAnswer answer) {
    static constexpr std::array names = {"undecided", "passed", "recovers", "spared", "replaced", "failed", "stopped"};
    return names[static_cast<std::size_t>(answer)];
}

std::optional<std::int64_t> Incident::replayed() const {
    if (answer != IncidentAnswer::recovers) return 0;
    if (!last_step) return std::nullopt;
    return std::max<std::int64_t>(*last_step - from_step, 0);
}

void Incidents::take(const Event& event) {
    if (event.sequence != 0 && event.sequence <= sequence_) return;
    sequence_ = event.sequence;
    time_ = event.time;
    visit([this](const auto& body) { on(body); }, event.body);
}

// --- participants -------------------------------------------------------------------------------

/// Starts the record of a task. If this event is the task's first plan, the task has done no step yet.
void Incidents::on(const TaskPlanned& event) {
    TaskTimeline& timeline = timelines_[event.task];
    if (event.generation <= 1 && !without_steps_) timeline.furthest = 0;
    timeline.generation = std::max(timeline.generation, event.generation);
}

void Incidents::on(const InstancePlaced& event) {
    if (event.stage == standby_stage) return;  // the task continues without this standby
    TaskTimeline& timeline = timelines_[event.task];
    std::erase_if(timeline.instances, [](const auto& entry) { return !entry.second.alive; });
    timeline.instances[event.instance] = {event.node, event.stage, event.generation};
    for (const std::uint64_t number : timeline.answered)
        if (Incident* one = find(number); one && one->generation == event.generation) one->restored = never;
    if (event.generation >= timeline.generation) replace(event.task, timeline, event.instance);
}

/// Answers the incident of a SID whose process died: another process replaces the dead process.
void Incidents::replace(const TaskId& task, TaskTimeline& timeline, const InstanceId& instance) {
    const auto awaits = [&](const Incident& one) {
        const bool unanswered = one.number == timeline.undecided && one.detected != never;
        return one.task == task && same_sid(one.culprit, instance) &&
               (unanswered || one.answer == IncidentAnswer::spared);
    };
    const auto found = std::find_if(incidents_.rbegin(), incidents_.rend(), awaits);
    if (found == incidents_.rend()) return;
    if (found->number == timeline.undecided) decide(timeline, *found, IncidentAnswer::replaced);
    else if (!found->open) timeline.answered.push_back(found->number);
    found->answer = IncidentAnswer::replaced;
    found->resumed = never;
    found->open = true;
}

void Incidents::on(const InstanceLoaded& event) {
    TaskTimeline* timeline = timeline_of(event.instance);
    if (!timeline) return;
    const auto placed = timeline->instances.find(event.instance);
    if (placed == timeline->instances.end()) return;
    placed->second.loaded = true;
    const Generation generation = placed->second.generation;
    const bool all = std::ranges::all_of(timeline->instances, [&](const auto& entry) {
        return entry.second.generation != generation || entry.second.loaded;
    });
    for (const std::uint64_t number : timeline->answered) {
        Incident* one = find(number);
        if (!one) continue;
        const bool recovered = one->answer == IncidentAnswer::recovers && one->generation == generation && all;
        const bool replaced = one->answer == IncidentAnswer::replaced && same_sid(one->culprit, event.instance);
        if (recovered || replaced) one->restored = time_;
    }
}

// --- faults -------------------------------------------------------------------------------------

/// Records a sign of trouble that may pass: a peer is silent or makes no progress.
void Incidents::sign(const TaskId& task, TaskTimeline& timeline, const std::string& who, const Incident& told) {
    timeline.signs.insert(who);
    Incident& incident = undecided(task, timeline);
    const bool silent = incident.fault.empty();
    const bool same_node = told.culprit.value().empty() && incident.node == told.node;  // the whole node is affected
    if (incident.detected != never || (!silent && !same_node)) return;
    incident.culprit = told.culprit;
    incident.node = told.node;
    incident.fault = told.fault;
}

void Incidents::lift(TaskTimeline& timeline, const std::string& who) {
    if (timeline.signs.erase(who) > 0) pass(timeline);
}

/// Closes incidents that have passed: no peer is missing any more, and every loss was answered.
void Incidents::pass(TaskTimeline& timeline) {
    for (const std::uint64_t number : std::vector(timeline.answered)) {
        Incident* spared = find(number);
        if (!spared || spared->answer != IncidentAnswer::spared || timeline.waits) continue;
        spared->resumed = time_;
        close(timeline, *spared);
    }
    if (timeline.undecided == 0 || !timeline.signs.empty() || timeline.waits) return;
    Incident* incident = find(timeline.undecided);
    if (incident && incident->detected != never) return;
    timeline.undecided = 0;
    if (!incident) return;
    incident->answer = IncidentAnswer::passed;
    incident->resumed = time_;
    incident->open = false;
}

/// Records the loss of an instance. The first loss is the cause of the incident; later ones may follow from it.
void Incidents::lost(const TaskId& task, TaskTimeline& timeline, const InstanceId& instance, const std::string& why) {
    Placed& placed = timeline.instances.at(instance);
    const bool matters = timeline.in_force(placed);
    placed.alive = false;
    timeline.signs.erase(instance.value());
    if (!matters) return;
    for (const std::uint64_t number : std::vector(timeline.answered)) {
        Incident* before = find(number);
        if (!before || before->answer != IncidentAnswer::replaced || !same_sid(before->culprit, instance)) continue;
        before->outcome = cut_short(*before, another_fault);
        close(timeline, *before);
    }
    Incident& incident = undecided(task, timeline);
    if (incident.detected != never) return;
    incident.detected = time_;
    incident.culprit = instance;
    incident.node = placed.node;
    incident.fault = why;
}

void Incidents::on(const InstanceChanged& event) {
    TaskTimeline* timeline = timeline_of(event.instance);
    if (!timeline) return;
    const auto found = timeline->instances.find(event.instance);
    if (found == timeline->instances.end()) return;
    const TaskId task = task_of(sid_of(event.instance));
    if (event.state == InstanceState::failed) return lost(task, *timeline, event.instance, event.detail);
    Placed& placed = found->second;
    if (event.state >= InstanceState::finished) placed.alive = false;
    if (!timeline->in_force(placed)) return;
    if (event.detail.empty() || !placed.alive) lift(*timeline, event.instance.value());
    else sign(task, *timeline, event.instance.value(), {0, {}, event.instance, placed.node, event.detail});
    if (event.state != InstanceState::running) return;
    for (const std::uint64_t number : std::vector(timeline->answered)) {
        Incident* one = find(number);
        const bool goes_on = one && one->answer == IncidentAnswer::replaced && one->culprit != event.instance &&
                             same_sid(one->culprit, event.instance);
        if (!goes_on) continue;
        one->resumed = time_;
        close(*timeline, *one);
    }
}

/// Handles the end of a process. If a participating instance ended without notice, this is the fault.
void Incidents::on(const InstanceEnded& event) {
    TaskTimeline* timeline = timeline_of(event.instance);
    if (!timeline) return;
    const auto found = timeline->instances.find(event.instance);
    if (found == timeline->instances.end() || !found->second.alive) return;
    lost(task_of(sid_of(event.instance)), *timeline, event.instance,
         event.detail.empty() ? "its process has ended" : event.detail);
}

void Incidents::on(const NodeEnded& event) {
    const bool away = event.state == NodeState::away;
    const std::string what = "node " + event.node.value() +
                             (away                             ? " is away"
                              : event.state == NodeState::left ? " left"
                                                               : " was lost") +
                             (event.reason.empty() ? "" : ": " + event.reason);
    for (auto& [task, timeline] : timelines_) {
        const bool hit = std::ranges::any_of(timeline.instances, [&, &running = timeline](const auto& entry) {
            return entry.second.node == event.node && entry.second.alive && running.in_force(entry.second);
        });
        if (!hit) continue;
        sign(task, timeline, event.node.value(), {0, {}, {}, event.node, what});
        Incident& incident = undecided(task, timeline);
        if (away || incident.detected != never) continue;
        incident.detected = time_;
        incident.culprit = {};
        incident.node = event.node;
        incident.fault = what;
    }
}

void Incidents::on(const NodeJoined& event) {
    for (auto& [task, timeline] : timelines_) lift(timeline, event.node.id.value());
}

/// Handles a phase change. The detail of the exception phase is "waits for ...", or the error that stops the task.
void Incidents::on(const PhaseChanged& event) {
    TaskTimeline* timeline = timeline_of(event.task);
    if (!timeline) return;
    timeline->waits = event.phase == TaskPhase::exception;
    if (timeline->ending) return;
    if (!timeline->waits) return pass(*timeline);
    if (timeline->undecided != 0 || unresumed(*timeline)) return;
    undecided(event.task, *timeline).fault = event.detail;
}

/// Handles a log line. A line about a failed data instance says that the task continues or waits without it.
void Incidents::on(const Noted& event) {
    TaskTimeline* timeline = timeline_of(TaskId(event.task));
    Incident* incident = timeline ? find(timeline->undecided) : nullptr;
    if (!incident || incident->detected == never || event.component != "instance " + incident->culprit.value()) return;
    const auto placed = timeline->instances.find(incident->culprit);
    if (placed == timeline->instances.end() || placed->second.stage != dealt_stage) return;
    decide(*timeline, *incident, IncidentAnswer::spared);
    const bool others = std::ranges::any_of(
        timeline->instances, [](const auto& entry) { return entry.second.stage == dealt_stage && entry.second.alive; });
    if (!others) return;  // there is no other data instance, so the task waits
    incident->resumed = time_;
    close(*timeline, *incident);
}

// --- recovery -----------------------------------------------------------------------------------

void Incidents::on(const TaskRecovers& event) {
    TaskTimeline& timeline = timelines_[event.task];
    close_answered(timeline, another_fault);
    Incident& incident = undecided(event.task, timeline);
    if (incident.detected == never) {
        incident.detected = time_;
        incident.fault = event.reason;
        incident.culprit = event.culprit;
        const auto placed = timeline.instances.find(event.culprit);
        if (placed != timeline.instances.end()) incident.node = placed->second.node;
    }
    incident.generation = event.generation;
    incident.from_step = event.step;
    incident.last_step = timeline.furthest;
    decide(timeline, incident, IncidentAnswer::recovers);
    timeline.generation = event.generation;
    timeline.waits = false;
}

/// Closes all answered incidents. The steps after a re-cut belong to another generation, so they do not show whether
/// the task caught up.
void Incidents::on(const TaskRecut& event) {
    if (TaskTimeline* timeline = timeline_of(event.task)) close_answered(*timeline, was_recut);
}

void Incidents::on(const StepDone& event) {
    TaskTimeline* timeline = timeline_of(event.task);
    if (!timeline) return;
    const std::int64_t step = event.record.step;
    if (!timeline->answered.empty()) {
        for (const std::uint64_t number : std::vector(timeline->answered)) {
            Incident* one = find(number);
            if (!one || one->answer != IncidentAnswer::recovers || one->generation != event.record.generation) continue;
            set_once(one->resumed, time_);
            if (one->last_step && step <= *one->last_step) continue;
            one->caught_up = time_;
            close(*timeline, *one);
        }
    }
    if (timeline->furthest) timeline->furthest = std::max(*timeline->furthest, step);
}

/// Returns the answered incident after which the task has not continued yet, or null.
Incident* Incidents::unresumed(const TaskTimeline& timeline) {
    for (const std::uint64_t number : timeline.answered)
        if (Incident* one = find(number); one && one->resumed == never) return one;
    return nullptr;
}

void Incidents::on(const TaskEnding& event) {
    if (TaskTimeline* timeline = timeline_of(event.task)) end(event.task, *timeline, event.outcome, event.error);
}

void Incidents::on(const TaskEnded& event) {
    TaskTimeline* timeline = timeline_of(event.task);
    if (!timeline) return;
    end(event.task, *timeline, event.outcome, event.error);
    timelines_.erase(event.task);
}

/// Closes the incidents of a task that ends. A failed task had a fault, even if no instance is to blame. If the task
/// was recovering, the incident of that recovery is the cause.
void Incidents::end(const TaskId& task, TaskTimeline& timeline, Outcome outcome, const std::optional<Error>& error) {
    if (timeline.ending) return;
    timeline.ending = true;
    if (outcome == Outcome::failed && !timeline.instances.empty()) {
        Incident* last = timeline.undecided == 0 ? unresumed(timeline) : nullptr;
        // after a replacement, the other instances continue
        const bool is_cause = last && last->answer != IncidentAnswer::replaced;
        Incident& incident = is_cause ? *last : undecided(task, timeline);
        if (incident.fault.empty()) incident.fault = error ? error->what : "the task has failed";
        set_once(incident.detected, time_);
        decide(timeline, incident, IncidentAnswer::failed);
        if (error) incident.outcome = error->message();
        close(timeline, incident);
    }
    if (Incident* unanswered = find(timeline.undecided)) {
        const bool stopped = outcome == Outcome::stopped;
        decide(timeline, *unanswered, stopped ? IncidentAnswer::stopped : IncidentAnswer::passed);
        if (!stopped) unanswered->resumed = time_;
        close(timeline, *unanswered);
    }
    close_answered(timeline, outcome == Outcome::succeeded ? "" : task_ended);
}

void Incidents::decide(TaskTimeline& timeline, Incident& incident, IncidentAnswer answer) {
    set_once(incident.decided, time_);
    incident.answer = answer;
    timeline.signs.clear();
    if (timeline.undecided == incident.number) timeline.undecided = 0;
    if (std::ranges::find(timeline.answered, incident.number) == timeline.answered.end())
        timeline.answered.push_back(incident.number);
}

void Incidents::close(TaskTimeline& timeline, Incident& incident) {
    incident.open = false;
    std::erase(timeline.answered, incident.number);
}

void Incidents::close_answered(TaskTimeline& timeline, const std::string& why) {
    for (const std::uint64_t number : std::exchange(timeline.answered, {}))
        if (Incident* one = find(number)) {
            one->open = false;
            if (!why.empty()) one->outcome = cut_short(*one, why);
        }
}

// --- retained incidents -------------------------------------------------------------------------

Incidents::TaskTimeline* Incidents::timeline_of(const TaskId& task) {
    const auto found = timelines_.find(task);
    return found == timelines_.end() ? nullptr : &found->second;
}

Incidents::TaskTimeline* Incidents::timeline_of(const InstanceId& instance) {
    return timeline_of(task_of(sid_of(instance)));
}

Incident* Incidents::find(std::uint64_t number) {
    const auto found = std::ranges::lower_bound(incidents_, number, {}, &Incident::number);
    return found == incidents_.end() || found->number != number ? nullptr : &*found;
}

Incident& Incidents::undecided(const TaskId& task, TaskTimeline& timeline) {
    if (Incident* known = find(timeline.undecided)) return *known;
    forget_oldest(task);
    Incident& incident = incidents_.emplace_back();
    incident.number = timeline.undecided = ++last_number_;
    incident.task = task;
    incident.fault_time = time_;
    return incident;
}

void Incidents::forget_oldest(const TaskId& task) {
    const auto is_of_task = [&](const Incident& one) { return one.task == task; };
    if (std::ranges::count_if(incidents_, is_of_task) >= static_cast<std::ptrdiff_t>(task_incident_limit))
        incidents_.erase(std::ranges::find_if(incidents_, is_of_task));
    if (incidents_.size() >= incident_limit) incidents_.pop_front();
}

// --- resuming from a snapshot -------------------------------------------------------------------

void Incidents::resume(const ClusterState& state) {
    if (state.sequence == sequence_) return;
    if (state.sequence < sequence_) *this = {};
    learn(state);
    without_steps_ = true;
    for (auto& [task, timeline] : timelines_) timeline.furthest.reset();
    for (const Event& event : state.recent) take(event);
    without_steps_ = false;
    sequence_ = state.sequence;
    time_ = state.time;
    for (auto next = timelines_.begin(); next != timelines_.end();) {
        const auto task = state.tasks.find(next->first);
        if (task != state.tasks.end() && !task->second.over()) {
            reconcile(next->second, task->second);
            ++next;
            continue;
        }
        if (Incident* one = find(next->second.undecided)) close(next->second, *one);
        close_answered(next->second, "");
        next = timelines_.erase(next);
    }
}

/// Takes from the state the instances that were placed before the recent events. These events have all later changes.
void Incidents::learn(const ClusterState& state) {
    const TimePoint begin = state.recent.empty() ? state.time : state.recent.front().time;
    for (const auto& [id, view] : state.instances) {
        const auto task = state.tasks.find(view.task);
        if (task == state.tasks.end() || !task->second.runs() || view.stage == standby_stage) continue;
        const bool over = view.exited || view.state >= InstanceState::finished;
        if (over && (view.since < begin || view.since <= time_)) continue;
        timelines_[view.task].instances.try_emplace(id, Placed{view.node, view.stage, view.generation, view.ready()});
    }
}

/// Completes a task's record from the state. Steps are not among the recent events: the state shows which steps were
/// done, but not when.
void Incidents::reconcile(TaskTimeline& timeline, const TaskView& task) {
    timeline.generation = task.generation;
    timeline.ending = task.ending.has_value();
    timeline.waits = task.phase == TaskPhase::exception;
    const std::int64_t done = task.history.empty() ? 0 : task.history.back().step;
    const Generation by = task.history.empty() ? 0 : task.history.back().generation;
    for (const std::uint64_t number : std::vector(timeline.answered)) {
        Incident* one = find(number);
        if (!one || one->answer != IncidentAnswer::recovers) continue;
        if (by < one->generation && !one->last_step) one->last_step = done;
        const bool caught_up = by == one->generation && (!one->last_step || done > *one->last_step);
        if (by > one->generation || caught_up) close(timeline, *one);
    }
    timeline.furthest = std::max(timeline.furthest.value_or(done), done);
    pass(timeline);
}

}  // namespace divisi::control::inline state
