// SPDX-License-Identifier: Apache-2.0
#include "backend/control/state/incidents.h"

#include <algorithm>
#include <array>

namespace divisi::control::inline state {
namespace {

constexpr TimePoint never{};
constexpr const char *another_fault = "another fault came", *task_ended = "the task ended",
                     *was_recut = "the task was re-cut";

void set_once(TimePoint& when, TimePoint now) {
    if (when == never) when = now;
}

/// Describes what kept the task from resolving an incident, and how far it had come.
std::string cut_short(const Incident& incident, const std::string& why) {
    return why + (incident.resumed == never ? " before it had gone on" : " before it had caught up");
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

/// Starts the record of a task. If its first plan is seen here, it has done no step before.
void Incidents::on(const TaskPlanned& event) {
    Course& course = courses_[event.task];
    if (event.generation <= 1 && !without_steps_) course.furthest = 0;
    course.generation = std::max(course.generation, event.generation);
}

void Incidents::on(const InstancePlaced& event) {
    if (event.stage == standby_stage) return;  // the task does not miss a standby that dies
    Course& course = courses_[event.task];
    std::erase_if(course.instances, [](const auto& entry) { return !entry.second.alive; });
    course.instances[event.instance] = {event.node, event.stage, event.generation};
    for (const std::uint64_t number : course.answered)
        if (Incident* one = find(number); one && one->generation == event.generation) one->restored = never;
    if (event.generation >= course.generation) replace(event.task, course, event.instance);
}

/// Continues an incident with the replacement of a SID's process that died.
void Incidents::replace(const TaskId& task, Course& course, const InstanceId& instance) {
    const auto awaits = [&](const Incident& one) {
        const bool unanswered = one.number == course.undecided && one.detected != never;
        return one.task == task && same_sid(one.culprit, instance) &&
               (unanswered || one.answer == IncidentAnswer::spared);
    };
    const auto found = std::find_if(incidents_.rbegin(), incidents_.rend(), awaits);
    if (found == incidents_.rend()) return;
    if (found->number == course.undecided) decide(course, *found, IncidentAnswer::replaced);
    else if (!found->open) course.answered.push_back(found->number);
    found->answer = IncidentAnswer::replaced;
    found->resumed = never;
    found->open = true;
}

void Incidents::on(const InstanceLoaded& event) {
    Course* course = course_of(event.instance);
    if (!course) return;
    const auto placed = course->instances.find(event.instance);
    if (placed == course->instances.end()) return;
    placed->second.loaded = true;
    const Generation generation = placed->second.generation;
    const bool all = std::ranges::all_of(course->instances, [&](const auto& entry) {
        return entry.second.generation != generation || entry.second.loaded;
    });
    for (const std::uint64_t number : course->answered) {
        Incident* one = find(number);
        if (!one) continue;
        const bool recovered = one->answer == IncidentAnswer::recovers && one->generation == generation && all;
        const bool replaced = one->answer == IncidentAnswer::replaced && same_sid(one->culprit, event.instance);
        if (recovered || replaced) one->restored = time_;
    }
}

// --- faults -------------------------------------------------------------------------------------

/// Records a sign of trouble that may pass: a peer is silent or makes no progress.
void Incidents::sign(const TaskId& task, Course& course, const std::string& who, const Incident& told) {
    course.signs.insert(who);
    Incident& incident = undecided(task, course);
    const bool silent = incident.fault.empty();
    const bool same_node = told.culprit.value().empty() && incident.node == told.node;  // the whole node is affected
    if (incident.detected != never || (!silent && !same_node)) return;
    incident.culprit = told.culprit;
    incident.node = told.node;
    incident.fault = told.fault;
}

void Incidents::lift(Course& course, const std::string& who) {
    if (course.signs.erase(who) > 0) pass(course);
}

/// Closes incidents that have passed: no peer is missed any more, and no loss is unanswered.
void Incidents::pass(Course& course) {
    for (const std::uint64_t number : std::vector(course.answered)) {
        Incident* spared = find(number);
        if (!spared || spared->answer != IncidentAnswer::spared || course.waits) continue;
        spared->resumed = time_;
        close(course, *spared);
    }
    if (course.undecided == 0 || !course.signs.empty() || course.waits) return;
    Incident* incident = find(course.undecided);
    if (incident && incident->detected != never) return;
    course.undecided = 0;
    if (!incident) return;
    incident->answer = IncidentAnswer::passed;
    incident->resumed = time_;
    incident->open = false;
}

/// Records the loss of an instance. The first loss is the cause of the incident; later ones may follow from it.
void Incidents::lost(const TaskId& task, Course& course, const InstanceId& instance, const std::string& why) {
    Placed& placed = course.instances.at(instance);
    const bool matters = course.in_force(placed);
    placed.alive = false;
    course.signs.erase(instance.value());
    if (!matters) return;
    for (const std::uint64_t number : std::vector(course.answered)) {
        Incident* before = find(number);
        if (!before || before->answer != IncidentAnswer::replaced || !same_sid(before->culprit, instance)) continue;
        before->outcome = cut_short(*before, another_fault);
        close(course, *before);
    }
    Incident& incident = undecided(task, course);
    if (incident.detected != never) return;
    incident.detected = time_;
    incident.culprit = instance;
    incident.node = placed.node;
    incident.fault = why;
}

void Incidents::on(const InstanceChanged& event) {
    Course* course = course_of(event.instance);
    if (!course) return;
    const auto found = course->instances.find(event.instance);
    if (found == course->instances.end()) return;
    const TaskId task = task_of(sid_of(event.instance));
    if (event.state == InstanceState::failed) return lost(task, *course, event.instance, event.detail);
    Placed& placed = found->second;
    if (event.state >= InstanceState::finished) placed.alive = false;
    if (!course->in_force(placed)) return;
    if (event.detail.empty() || !placed.alive) lift(*course, event.instance.value());
    else sign(task, *course, event.instance.value(), {0, {}, event.instance, placed.node, event.detail});
    if (event.state != InstanceState::running) return;
    for (const std::uint64_t number : std::vector(course->answered)) {
        Incident* one = find(number);
        const bool goes_on = one && one->answer == IncidentAnswer::replaced && one->culprit != event.instance &&
                             same_sid(one->culprit, event.instance);
        if (!goes_on) continue;
        one->resumed = time_;
        close(*course, *one);
    }
}

/// Handles the end of a process. If a participating instance ended without notice, this is the fault.
void Incidents::on(const InstanceEnded& event) {
    Course* course = course_of(event.instance);
    if (!course) return;
    const auto found = course->instances.find(event.instance);
    if (found == course->instances.end() || !found->second.alive) return;
    lost(task_of(sid_of(event.instance)), *course, event.instance,
         event.detail.empty() ? "its process has ended" : event.detail);
}

void Incidents::on(const NodeEnded& event) {
    const bool away = event.state == NodeState::away;
    const std::string what = "node " + event.node.value() +
                             (away                             ? " is away"
                              : event.state == NodeState::left ? " left"
                                                               : " was lost") +
                             (event.reason.empty() ? "" : ": " + event.reason);
    for (auto& [task, course] : courses_) {
        const bool hit = std::ranges::any_of(course.instances, [&, &running = course](const auto& entry) {
            return entry.second.node == event.node && entry.second.alive && running.in_force(entry.second);
        });
        if (!hit) continue;
        sign(task, course, event.node.value(), {0, {}, {}, event.node, what});
        Incident& incident = undecided(task, course);
        if (away || incident.detected != never) continue;
        incident.detected = time_;
        incident.culprit = {};
        incident.node = event.node;
        incident.fault = what;
    }
}

void Incidents::on(const NodeJoined& event) {
    for (auto& [task, course] : courses_) lift(course, event.node.id.value());
}

/// Handles a phase change: "waits for ..." of a training task, or the error by which the task fails.
void Incidents::on(const PhaseChanged& event) {
    Course* course = course_of(event.task);
    if (!course) return;
    course->waits = event.phase == TaskPhase::exception;
    if (course->ending) return;
    if (!course->waits) return pass(*course);
    if (course->undecided != 0 || unresumed(*course)) return;
    undecided(event.task, *course).fault = event.detail;
}

/// Handles a log line: a warning about a failed data instance means that the task continues.
void Incidents::on(const Noted& event) {
    Course* course = course_of(TaskId(event.task));
    Incident* incident = course ? find(course->undecided) : nullptr;
    if (!incident || incident->detected == never || event.component != "instance " + incident->culprit.value()) return;
    const auto placed = course->instances.find(incident->culprit);
    if (placed == course->instances.end() || placed->second.stage != dealt_stage) return;
    decide(*course, *incident, IncidentAnswer::spared);
    const bool others = std::ranges::any_of(
        course->instances, [](const auto& entry) { return entry.second.stage == dealt_stage && entry.second.alive; });
    if (!others) return;  // the task waits for the next data instance
    incident->resumed = time_;
    close(*course, *incident);
}

// --- recovery -----------------------------------------------------------------------------------

void Incidents::on(const TaskRecovers& event) {
    Course& course = courses_[event.task];
    close_answered(course, another_fault);
    Incident& incident = undecided(event.task, course);
    if (incident.detected == never) {
        incident.detected = time_;
        incident.fault = event.reason;
        incident.culprit = event.culprit;
        const auto placed = course.instances.find(event.culprit);
        if (placed != course.instances.end()) incident.node = placed->second.node;
    }
    incident.generation = event.generation;
    incident.from_step = event.step;
    incident.last_step = course.furthest;
    decide(course, incident, IncidentAnswer::recovers);
    course.generation = event.generation;
    course.waits = false;
}

/// A re-cut means that the task trains, so all answered incidents are resolved. Everything it does from here belongs to
/// another generation.
void Incidents::on(const TaskRecut& event) {
    if (Course* course = course_of(event.task)) close_answered(*course, was_recut);
}

void Incidents::on(const StepDone& event) {
    Course* course = course_of(event.task);
    if (!course) return;
    const std::int64_t step = event.record.step;
    if (!course->answered.empty()) {
        for (const std::uint64_t number : std::vector(course->answered)) {
            Incident* one = find(number);
            if (!one || one->answer != IncidentAnswer::recovers || one->generation != event.record.generation) continue;
            set_once(one->resumed, time_);
            if (one->last_step && step <= *one->last_step) continue;
            one->caught_up = time_;
            close(*course, *one);
        }
    }
    if (course->furthest) course->furthest = std::max(*course->furthest, step);
}

/// Returns the answered incident after which the task has not continued yet, or null.
Incident* Incidents::unresumed(const Course& course) {
    for (const std::uint64_t number : course.answered)
        if (Incident* one = find(number); one && one->resumed == never) return one;
    return nullptr;
}

void Incidents::on(const TaskEnding& event) {
    if (Course* course = course_of(event.task)) end(event.task, *course, event.outcome, event.error);
}

void Incidents::on(const TaskEnded& event) {
    Course* course = course_of(event.task);
    if (!course) return;
    end(event.task, *course, event.outcome, event.error);
    courses_.erase(event.task);
}

/// Closes the incidents of a task that ends. A failed task has met a fault, even if no instance is to blame. If the
/// task was recovering, the incident of that recovery is the one it failed on.
void Incidents::end(const TaskId& task, Course& course, Outcome outcome, const std::optional<Error>& error) {
    if (course.ending) return;
    course.ending = true;
    if (outcome == Outcome::failed && !course.instances.empty()) {
        Incident* last = course.undecided == 0 ? unresumed(course) : nullptr;
        // after a replacement, the other instances continue
        const bool is_cause = last && last->answer != IncidentAnswer::replaced;
        Incident& incident = is_cause ? *last : undecided(task, course);
        if (incident.fault.empty()) incident.fault = error ? error->what : "the task has failed";
        set_once(incident.detected, time_);
        decide(course, incident, IncidentAnswer::failed);
        if (error) incident.outcome = error->message();
        close(course, incident);
    }
    if (Incident* unanswered = find(course.undecided)) {
        const bool stopped = outcome == Outcome::stopped;
        decide(course, *unanswered, stopped ? IncidentAnswer::stopped : IncidentAnswer::passed);
        if (!stopped) unanswered->resumed = time_;
        close(course, *unanswered);
    }
    close_answered(course, outcome == Outcome::succeeded ? "" : task_ended);
}

void Incidents::decide(Course& course, Incident& incident, IncidentAnswer answer) {
    set_once(incident.decided, time_);
    incident.answer = answer;
    course.signs.clear();
    if (course.undecided == incident.number) course.undecided = 0;
    if (std::ranges::find(course.answered, incident.number) == course.answered.end())
        course.answered.push_back(incident.number);
}

void Incidents::close(Course& course, Incident& incident) {
    incident.open = false;
    std::erase(course.answered, incident.number);
}

void Incidents::close_answered(Course& course, const std::string& why) {
    for (const std::uint64_t number : std::exchange(course.answered, {}))
        if (Incident* one = find(number)) {
            one->open = false;
            if (!why.empty()) one->outcome = cut_short(*one, why);
        }
}

// --- retained incidents -------------------------------------------------------------------------

Incidents::Course* Incidents::course_of(const TaskId& task) {
    const auto found = courses_.find(task);
    return found == courses_.end() ? nullptr : &found->second;
}

Incidents::Course* Incidents::course_of(const InstanceId& instance) { return course_of(task_of(sid_of(instance))); }

Incident* Incidents::find(std::uint64_t number) {
    const auto found = std::ranges::lower_bound(incidents_, number, {}, &Incident::number);
    return found == incidents_.end() || found->number != number ? nullptr : &*found;
}

Incident& Incidents::undecided(const TaskId& task, Course& course) {
    if (Incident* known = find(course.undecided)) return *known;
    forget_oldest(task);
    Incident& incident = incidents_.emplace_back();
    incident.number = course.undecided = ++last_number_;
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
    for (auto& [task, course] : courses_) course.furthest.reset();
    for (const Event& event : state.recent) take(event);
    without_steps_ = false;
    sequence_ = state.sequence;
    time_ = state.time;
    for (auto next = courses_.begin(); next != courses_.end();) {
        const auto task = state.tasks.find(next->first);
        if (task != state.tasks.end() && !task->second.over()) {
            reconcile(next->second, task->second);
            ++next;
            continue;
        }
        if (Incident* one = find(next->second.undecided)) close(next->second, *one);
        close_answered(next->second, "");
        next = courses_.erase(next);
    }
}

/// Learns the instances placed before the recent events. Later changes are in these events.
void Incidents::learn(const ClusterState& state) {
    const TimePoint begin = state.recent.empty() ? state.time : state.recent.front().time;
    for (const auto& [id, view] : state.instances) {
        const auto task = state.tasks.find(view.task);
        if (task == state.tasks.end() || !task->second.runs() || view.stage == standby_stage) continue;
        const bool over = view.exited || view.state >= InstanceState::finished;
        if (over && (view.since < begin || view.since <= time_)) continue;
        courses_[view.task].instances.try_emplace(id, Placed{view.node, view.stage, view.generation, view.ready()});
    }
}

/// Completes a task's record from the state. Steps are not among the recent events: the state shows which were done,
/// but not when.
void Incidents::reconcile(Course& course, const TaskView& task) {
    course.generation = task.generation;
    course.ending = task.ending.has_value();
    course.waits = task.phase == TaskPhase::exception;
    const std::int64_t done = task.history.empty() ? 0 : task.history.back().step;
    const Generation by = task.history.empty() ? 0 : task.history.back().generation;
    for (const std::uint64_t number : std::vector(course.answered)) {
        Incident* one = find(number);
        if (!one || one->answer != IncidentAnswer::recovers) continue;
        if (by < one->generation && !one->last_step) one->last_step = done;
        const bool caught_up = by == one->generation && (!one->last_step || done > *one->last_step);
        if (by > one->generation || caught_up) close(course, *one);
    }
    course.furthest = std::max(course.furthest.value_or(done), done);
    pass(course);
}

}  // namespace divisi::control::inline state
