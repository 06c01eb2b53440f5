// SPDX-License-Identifier: Apache-2.0
// Ends tasks: when they are stopped, have finished, fail or run out of time.
#include <algorithm>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/runs/task_instances.h"
#include "backend/control/runs/task_lifecycle.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline runs {
namespace {

constexpr const char* all_done = "all steps done";

bool is_gone(const InstanceView& instance) { return instance.exited; }
const InstanceView& as_view(const InstanceView* instance) { return *instance; }

}  // namespace

void TaskLifecycle::handle(const Received& received, const StopTask& message) {
    const auto found = context_.state().tasks.find(message.task);
    if (found == context_.state().tasks.end()) return context_.refuse(received, context_.no_such_task(message.task));
    if (found->second.over())
        return context_.refuse(received, make_error(error_text("task-already-ended"), message.task.value()));
    if (!runs_.contains(message.task)) context_.append(TaskEnded{message.task, Outcome::stopped, std::nullopt});
    else if (!found->second.ending)
        end_instances(message.task, Outcome::stopped, {}, message.reason.empty() ? "stopped" : message.reason);
    context_.answer(received, Done{});
}

void TaskLifecycle::handle(const Received&, const InstanceFinished& message) {
    const InstanceId& id = message.weights.instance;
    if (!run_of(id)) return;
    const InstanceView& instance = context_.state().instances.at(id);
    if (instance.state >= InstanceState::finished ||
        !is_in_force(context_.state(), instance.task, message.weights.generation))
        return;
    const TaskId task = instance.task;
    if (auto checked = check_weights(message.weights); !checked) return fail(task, id, checked.error(), Fault::said);
    if (!message.weights.path.empty()) context_.append(message.weights);
    context_.append(InstanceChanged{id, InstanceState::finished, ""});
    leases_.activate(id);
    leases_.finish(id, all_done);
    const bool done = all(task, [](const InstanceView& one) { return one.state == InstanceState::finished; });
    if (done && !context_.state().tasks.at(task).ending) end_instances(task, Outcome::succeeded, {}, all_done);
}

void TaskLifecycle::handle(const Received& received, const InstanceFailed& message) {
    if (!run_of(message.instance)) return;
    const InstanceView& instance = context_.state().instances.at(message.instance);
    // A node reports the failure of an instance that it could not start, or that it ends because the node itself ends.
    const auto sender = context_.sessions().find(received.peer);
    const bool by_node = sender != context_.sessions().end() && !sender->second.node.value().empty();
    // A failed standby does not show that stages would fail on that node.
    if (by_node && instance.stage != standby_stage)
        for (TaskPart* part : parts_) part->node_refused(instance.task, sender->second.node);
    fail(instance.task, message.instance, message.error, by_node ? Fault::lost : Fault::said);
}

void TaskLifecycle::handle(const Received& received, const InstanceExited& message) {
    std::string how = message.signal != 0 ? "killed by signal " + std::to_string(message.signal)
                                          : "exited with status " + std::to_string(message.code);
    leases_.exited(received, message, how);
    if (!run_of(message.instance)) {
        // The instance is no longer the newest incarnation of its SID, or its task is over.
        if (context_.state().instances.contains(message.instance)) ended(message.instance, how);
        return;
    }
    if (!message.output.empty()) how += ": " + message.output;
    const TaskView& task = task_of(context_.state().instances.at(message.instance));
    const bool expected = task.ending.has_value();
    if (!expected)
        fail(task.id, message.instance,
             make_error(message.signal != 0 ? error_text("process-killed") : error_text("process-exited"),
                        message.instance.value(), {how}),
             Fault::exited);
    ended(message.instance, expected && message.code == 0 && message.signal == 0 ? "" : how);
}

void TaskLifecycle::fail(const TaskId& task, const InstanceId& culprit, Error error, Fault fault) {
    if (!runs_.contains(task) || context_.state().tasks.at(task).ending) return;
    const Error its = error;
    for (TaskPart* part : parts_)
        if (part->handle_fault(task, culprit, error, fault)) return;
    if (!culprit.value().empty()) {
        context_.append(InstanceChanged{culprit, InstanceState::failed, its.message()});
        leases_.finish(culprit, its.what);
    }
    context_.append(PhaseChanged{task, TaskPhase::exception, error.message()});
    const std::string reason = culprit.value().empty() ? error.what : "another instance failed";
    end_instances(task, Outcome::failed, std::move(error), reason);
}

void TaskLifecycle::end_instances(const TaskId& task, Outcome outcome, std::optional<Error> error,
                                  const std::string& reason) {
    context_.append(TaskEnding{task, outcome, std::move(error), reason});
    const bool kept = outcome == Outcome::succeeded && kept_.are_wanted(context_.state().tasks.at(task));
    for (const InstanceView* instance : processes_of(context_.state(), task)) {
        context_.sessions().give_up(instance->id);
        leases_.finish(instance->id, reason);
        if (kept && !instance->exited && kept_.keep(*instance)) continue;  // the node informs the instance
        context_.tell(instance->id, EndInstance{instance->id, reason});
    }
    runs_.at(task).deadline = context_.lived() + context_.limits().ending;
    finish_if_all_gone(task);
}

void TaskLifecycle::kill_instances(const TaskId& task) {
    Run& run = runs_.at(task);
    run.killing = true;
    run.deadline = context_.lived() + context_.limits().killing;
    for (const InstanceView* instance : processes_of(context_.state(), task)) {
        if (instance->exited) continue;
        if (!context_.tell(instance->node, StopInstance{instance->id})) ended(instance->id, "its node is away");
        if (!runs_.contains(task)) return;
    }
}

void TaskLifecycle::ended(const InstanceId& instance, const std::string& detail) {
    const InstanceView& view = context_.state().instances.at(instance);
    if (view.exited || !runs_.contains(view.task)) return;
    context_.append(InstanceEnded{instance, detail});
    // The peers of a data instance need not try to reach it any more.
    if (view.stage == dealt_stage && has_begun(context_.state(), view.task) && !task_of(view).ending)
        tell_peers(view.task);
    finish_if_all_gone(view.task);
}

void TaskLifecycle::finish_if_all_gone(const TaskId& id) {
    if (!runs_.contains(id) || !std::ranges::all_of(processes_of(context_.state(), id), is_gone, as_view)) return;
    const Ending ending = context_.state().tasks.at(id).ending.value_or(Ending{});
    runs_.erase(id);
    context_.append(TaskEnded{id, ending.outcome, ending.error});
}

void TaskLifecycle::follow(const Event& event) {
    if (const auto* ending = get_if<TaskEnding>(&event.body)) ending_.insert(ending->task);
    if (const auto* ended = get_if<TaskEnded>(&event.body)) {
        runs_.erase(ended->task);
        ending_.erase(ended->task);
    }
}

void TaskLifecycle::shut_down() {
    std::vector<TaskId> tasks;
    for (const auto& [task, run] : runs_)
        if (!context_.state().tasks.at(task).ending) tasks.push_back(task);
    for (const TaskId& task : tasks)
        end_instances(task, Outcome::stopped, make_error(error_text("task-stopped-with-cluster"), task.value()),
                      "the cluster is shutting down");
}

void TaskLifecycle::check_deadlines() {
    check_away();
    for (TaskPart* part : parts_) part->check_deadlines();
    std::vector<TaskId> due;
    for (const auto& [task, run] : runs_)
        if (run.deadline && context_.lived() >= *run.deadline) due.push_back(task);
    for (const TaskId& task : due) missed_deadline(task);
    due.clear();
    for (const auto& [task, run] : runs_)
        if (const auto end = end_of_time(task); end && context_.lived() >= *end) due.push_back(task);
    for (const TaskId& task : due)
        fail(task, {},
             make_error(error_text("task-out-of-time"), "[task] most_seconds",
                        {std::to_string(context_.state().tasks.at(task).most_seconds)}),
             Fault::said);
}

std::optional<TimePoint> TaskLifecycle::end_of_time(const TaskId& id) const {
    const TaskView& task = context_.state().tasks.at(id);
    if (task.most_seconds == 0 || task.ending) return std::nullopt;
    return context_.lived() + (task.placed + std::chrono::seconds(task.most_seconds) - context_.now());
}

void TaskLifecycle::missed_deadline(const TaskId& task) {
    const auto instances = instances_of(context_.state(), task);
    if (runs_.at(task).killing) {
        for (const InstanceView* instance : processes_of(context_.state(), task))
            if (runs_.contains(task)) ended(instance->id, "its node did not report its end");
        return;
    }
    if (context_.state().tasks.at(task).ending) return kill_instances(task);
    const bool registering = !all(task, [](const InstanceView& one) { return one.joined; });
    if (registering)
        for (TaskPart* part : parts_) {
            const Result<bool> extended = part->extend_wait(task);
            if (!extended) return fail(task, {}, extended.error(), Fault::said);
            if (*extended) return;
        }
    std::string missing;
    for (const InstanceView* instance : instances)
        if (registering ? !instance->joined : !instance->ready())
            missing += (missing.empty() ? "" : ", ") + instance->id.value();
    fail(task, {},
         make_error(registering ? error_text("instances-did-not-register") : error_text("instances-not-prepared"),
                    missing),
         Fault::lost);
}

std::optional<TimePoint> TaskLifecycle::next_deadline() const {
    std::optional<TimePoint> next;
    const auto earlier = [&](const std::optional<TimePoint>& one) {
        if (one && (!next || *one < *next)) next = one;
    };
    for (const auto& [task, run] : runs_) {
        earlier(run.deadline);
        earlier(end_of_time(task));
    }
    for (const TaskPart* part : parts_) earlier(part->next_deadline());
    return next;
}

}  // namespace divisi::control::inline runs
