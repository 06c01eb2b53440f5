// SPDX-License-Identifier: Apache-2.0
#include "backend/control/dispatch/alerts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "backend/control/state/curve.h"
#include "backend/control/types/nonfinite.h"
#include "backend/task/compile.h"
#include "backend/task/parse.h"

namespace divisi::control::inline dispatch {
namespace {

Duration seconds_of(double seconds) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// Returns the value below which an alert for an exceeded threshold is cleared. Free disk space is the opposite case:
/// its alert is cleared above the threshold divided by the same share.
double calm_below(double bound) { return bound * alert_calm_share; }

std::string decimal(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

bool is_on(const task::AlertRules& rules, AlertRule rule) {
    switch (rule) {
        case AlertRule::slow_training: return rules.slow > 0;
        case AlertRule::node_silent: return rules.silent_s > 0;
        case AlertRule::queue_long: return rules.queue > 0;
        case AlertRule::disk_short: return rules.disk > 0;
        case AlertRule::loss_not_finite: return rules.loss;
    }
    return false;
}

bool in_exercise(const TaskView& task) {
    return task.phase == TaskPhase::exchange || task.phase == TaskPhase::telemetry || task.phase == TaskPhase::policy;
}

/// Returns the median step time under the current plan, without the newest steps. Returns none if there are too few
/// steps.
std::optional<double> usual_ms(const TaskView& task) {
    std::vector<double> times;
    for (const StepRecord& record : task.history)
        if (record.generation >= task.plan_since) times.push_back(record.step_ms);
    if (times.size() < alert_least_steps) return std::nullopt;
    times.resize(times.size() - alert_newest_steps);
    const double usual = median(std::move(times));
    return usual > 0 ? std::optional(usual) : std::nullopt;
}

/// Returns the error for a non-finite loss in the last step or the last evaluation, if there is one.
std::optional<Error> last_loss_wrong(const TaskView& task) {
    std::optional<Error> wrong;
    if (!task.history.empty()) wrong = nonfinite_loss(task.history.back());
    if (!wrong && !task.evaluations.empty()) wrong = nonfinite_loss(task.evaluations.back());
    return wrong;
}

}  // namespace

void Alerts::follow(const Event& event) {
    const auto wrong = [&](const TaskId& task, const std::optional<Error>& error) {
        if (error) wrong_[task] = *error;
    };
    if (const auto* step = get_if<StepDone>(&event.body)) wrong(step->task, nonfinite_loss(step->record));
    else if (const auto* done = get_if<Evaluated>(&event.body)) wrong(done->task, nonfinite_loss(done->record));
    else if (const auto* ended = get_if<NodeEnded>(&event.body)) context_.machines().erase(ended->node);
    else if (const auto* over = get_if<TaskEnded>(&event.body)) paces_.erase(over->task);
}

void Alerts::settle() {
    for (const auto& [id, error] : std::exchange(wrong_, {}))
        if (const auto task = context_.state().tasks.find(id); rules_.loss && task != context_.state().tasks.end())
            look_at_loss(task->second, error);
}

void Alerts::poll() {
    if (looked_ && context_.lived() - *looked_ < alert_interval) return;
    looked_ = context_.lived();
    look_at_nodes();
    look_at_queue();
    look_at_disks();
    look_at_steps();
    look_at_losses();
    clear_gone();
}

const Alert* Alerts::standing(const Key& key) const {
    for (const auto& [number, alert] : context_.state().alerts)
        if (alert.stands() && alert.rule == key.first && alert.subject == key.second) return &alert;
    return nullptr;
}

void Alerts::weigh(Found found) {
    const Key key{found.alert.rule, found.alert.subject};
    const Alert* raised = standing(key);
    const Duration hold = raised ? found.to_clear : found.to_raise;
    switch (watches_[key].turn.update(raised != nullptr, found.reading, hold, context_.lived())) {
        case AlertSwitch::Transition::none: return;
        case AlertSwitch::Transition::raise: return raise(std::move(found.alert));
        case AlertSwitch::Transition::clear: return clear(*raised, found.calm);
    }
}

void Alerts::raise(Alert alert) {
    const auto stand =
        std::ranges::count_if(context_.state().alerts, [](const auto& one) { return one.second.stands(); });
    if (static_cast<std::size_t>(stand) >= most_alerts) return;  // more would be too many to read
    alert.number = context_.state().sequence + 1;                // number of the event that raises the alert
    alert.raised = context_.now();
    context_.append(AlertRaised{std::move(alert)});
}

void Alerts::clear(const Alert& alert, const std::string& why) {
    watches_.erase({alert.rule, alert.subject});
    context_.append(AlertCleared{alert.number, TaskId(alert.task), why});
}

/// Returns why the subject of an alert no longer exists; empty if it exists.
std::string Alerts::gone(const Alert& alert) const {
    if (!is_on(rules_, alert.rule)) return "the rule is switched off";
    if (alert.rule == AlertRule::node_silent || (alert.rule == AlertRule::disk_short && !alert.node.value().empty())) {
        const auto node = context_.state().nodes.find(alert.node);
        if (node == context_.state().nodes.end() || node->second.state == NodeState::left) return "the node has left";
        if (alert.rule == AlertRule::disk_short && node->second.state == NodeState::lost)
            return "the node does not exist";
        return alert.rule == AlertRule::node_silent && node->second.draining ? "the node is drained" : "";
    }
    if (alert.task.value().empty()) return "";
    const auto task = context_.state().tasks.find(alert.task);
    if (task == context_.state().tasks.end()) return "the task is no longer known";
    if (!task->second.over()) return "";
    if (alert.rule != AlertRule::loss_not_finite) return "the task has ended";
    if (exception_of(context_.state(), alert.task)) return "";
    // The exception is recorded at the end of the orchestrator step in which its task fails.
    const bool follows = task->second.outcome == Outcome::failed && task->second.ended == context_.state().time;
    return follows ? "" : "the task has ended, and its exception was closed";
}

void Alerts::clear_gone() {
    std::vector<std::pair<Alert, std::string>> all;
    for (const auto& [number, alert] : context_.state().alerts)
        if (std::string why = alert.stands() ? gone(alert) : ""; !why.empty()) all.emplace_back(alert, std::move(why));
    for (const auto& [alert, why] : all) clear(alert, why);
    std::erase_if(watches_, [&](const auto& one) { return !one.second.turn.turning() && !standing(one.first); });
    std::erase_if(training_, [&](const auto& one) { return !context_.state().tasks.contains(one.first); });
}

void Alerts::look_at_nodes() {
    if (rules_.silent_s <= 0) return;
    for (const auto& [id, node] : context_.state().nodes) {
        if (node.state == NodeState::left || node.draining) continue;
        Found found;
        found.alert.rule = AlertRule::node_silent;
        found.alert.subject = id.value();
        found.alert.node = id;
        found.alert.bound = rules_.silent_s;
        found.alert.value = std::chrono::duration<double>(context_.now() - node.since).count();
        found.alert.what = "node " + id.value() + " is silent" + (node.reason.empty() ? "" : ": " + node.reason);
        found.alert.next =
            "check that its machine runs and can be reached, and start divisi-node there again; if it is lost "
            "permanently: divisictl drain " +
            id.value();
        found.reading = node.state == NodeState::ready ? AlertReading::calm : AlertReading::bad;
        found.to_raise = found.to_clear = seconds_of(rules_.silent_s);
        found.calm = "the node is back";
        weigh(std::move(found));
    }
}

void Alerts::look_at_queue() {
    if (rules_.queue <= 0) return;
    const auto waits = [](const auto& one) {
        return one.second.phase == TaskPhase::queued && !one.second.held && one.second.queue == QueueState::nodes;
    };
    const auto bound = static_cast<double>(rules_.queue);
    const auto length = static_cast<double>(std::ranges::count_if(context_.state().tasks, waits));
    Found found;
    found.alert.rule = AlertRule::queue_long;
    found.alert.subject = "queue";
    found.alert.value = length;
    found.alert.bound = bound;
    found.alert.what = std::to_string(static_cast<std::int64_t>(length)) + " tasks wait for nodes, more than " +
                       std::to_string(rules_.queue);
    found.alert.next = "run 'divisictl queue' to see what each waits for; add nodes, or stop tasks that are not needed";
    found.reading = length > bound                ? AlertReading::bad
                    : length <= calm_below(bound) ? AlertReading::calm
                                                  : AlertReading::between;
    found.to_raise = found.to_clear = alert_hold;
    found.calm = std::to_string(static_cast<std::int64_t>(length)) + " tasks wait";
    weigh(std::move(found));
}

void Alerts::look_at_disks() {
    if (rules_.disk <= 0) return;
    look_at_disk(alert_orchestrator, {}, own_.first, own_.second);
    for (const auto& [id, machine] : context_.machines()) look_at_disk(id.value(), id, machine.disk, machine.disk_free);
}

void Alerts::look_at_disk(const std::string& subject, const NodeId& node, Bytes disk, Bytes free) {
    if (disk <= 0) return;
    const std::string who = node.value().empty() ? "the orchestrator" : "node " + subject;
    Found found;
    found.alert.rule = AlertRule::disk_short;
    found.alert.subject = subject;
    found.alert.node = node;
    found.alert.value = static_cast<double>(free);
    found.alert.bound = static_cast<double>(rules_.disk);
    found.alert.what = format_bytes(free) + " of " + format_bytes(disk) + " are free on the disk of " + who +
                       ", less than " + format_bytes(rules_.disk);
    found.alert.next = node.value().empty() ? "free space where divisid keeps its data: the cluster stops without it"
                                            : "free space there, or start its divisi-node with a smaller --blob-gib";
    found.reading = free < rules_.disk ? AlertReading::bad
                    : static_cast<double>(free) * alert_calm_share >= static_cast<double>(rules_.disk)
                        ? AlertReading::calm
                        : AlertReading::between;
    found.to_raise = found.to_clear = alert_hold;
    found.calm = format_bytes(free) + " are free";
    weigh(std::move(found));
}

void Alerts::look_at_steps() {
    if (rules_.slow <= 0) return;
    for (const auto& [id, task] : context_.state().tasks) {
        if (!task.runs()) continue;
        if (in_exercise(task)) {
            look_at_pace(task);
        } else {  // the task starts, recovers or ends: the time until its next step is not a step time
            paces_.erase(id);
            watches_.erase({AlertRule::slow_training, id.value()});
        }
    }
}

/// Returns the current step time: the median of the newest steps, or the age of the unfinished step if that is longer.
/// The age is ignored if the task evaluates, since an evaluation runs between two steps, or if all steps are done.
std::optional<double> Alerts::now_ms(const TaskView& task) {
    Pace& pace = paces_[task.id];
    if (pace.step != task.step) pace = {task.step, context_.lived()};
    if (task.history.size() < alert_newest_steps) return std::nullopt;
    const double newest = recent_step_ms(task.history, alert_newest_steps);
    const bool all_done = task.steps > 0 && task.step >= task.steps;
    const bool evaluates =
        !task.evaluations.empty() || std::ranges::any_of(instances_of(context_.state(), task.id),
                                                         [](const auto* one) { return one->eval_microbatches > 0; });
    return all_done || evaluates ? newest : std::max(newest, to_ms(context_.lived() - pace.since));
}

void Alerts::look_at_pace(const TaskView& task) {
    const auto now = now_ms(task);
    const auto usual = usual_ms(task);
    const Key key{AlertRule::slow_training, task.id.value()};
    const Alert* raised = standing(key);
    Found found;
    found.alert.rule = key.first;
    found.alert.subject = key.second;
    found.alert.task = task.id;
    found.to_raise = found.to_clear = seconds_of(rules_.slow_for_s);
    if (!now || !usual) {
        found.calm = "its plan is new";
        return weigh(std::move(found));
    }
    // A long slowdown would raise the usual step time, so keep the threshold from the start of the slowdown.
    Watch& watch = watches_[key];
    if (raised) watch.bound = raised->bound;
    else if (!watch.turn.turning()) watch.bound = rules_.slow * *usual;
    const double bound = watch.bound;
    found.alert.value = *now;
    found.alert.bound = bound;
    found.alert.what = "steps take " + decimal(*now) + " ms, more than " + decimal(rules_.slow) + " times the " +
                       decimal(bound / rules_.slow) + " ms before";
    found.alert.next =
        "run 'divisictl nodes' and 'divisictl links --mesh', and read the log of its nodes; 'divisictl recut' "
        "moves work elsewhere";
    found.reading = *now > bound                ? AlertReading::bad
                    : *now <= calm_below(bound) ? AlertReading::calm
                                                : AlertReading::between;
    found.calm = "steps take " + decimal(*now) + " ms";
    weigh(std::move(found));
}

/// Returns whether the loss rule applies: not to batches, which may have no labels. Parses the task text only once.
bool Alerts::expects_losses(const TaskView& task) {
    const auto [known, added] = training_.try_emplace(task.id, true);
    if (added)
        if (const auto spec = task::parse_task(task.text, task.id.value())) known->second = !task::is_batch(*spec);
    return known->second;
}

void Alerts::look_at_losses() {
    if (!rules_.loss) return;
    for (const auto& [id, task] : context_.state().tasks)
        if (task.runs()) look_at_loss(task, last_loss_wrong(task));
}

void Alerts::look_at_loss(const TaskView& task, const std::optional<Error>& wrong) {
    if (!wrong && !standing({AlertRule::loss_not_finite, task.id.value()})) return;
    if (!expects_losses(task)) return;
    Found found;
    found.alert.rule = AlertRule::loss_not_finite;
    found.alert.subject = task.id.value();
    found.alert.task = task.id;
    if (wrong) {
        found.alert.what = wrong->where + ": " + wrong->what;
        found.alert.next = wrong->next;
    }
    found.reading = wrong ? AlertReading::bad : AlertReading::calm;
    found.to_clear = alert_loss_calm;
    found.calm = "its losses are numbers again";
    weigh(std::move(found));
}

}  // namespace divisi::control::inline dispatch
