// SPDX-License-Identifier: Apache-2.0
// Handles nodes and instances of running tasks that are away, return or are lost, and adopts tasks after a restart.
#include <algorithm>

#include "backend/control/protocol/node_messages.h"
#include "backend/control/runs/task_instances.h"
#include "backend/control/runs/task_lifecycle.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline runs {
namespace {

/// Maximum number of awaited nodes and instances to name, so that the line stays readable.
constexpr std::size_t most_named = 5;

/// Returns whether an older version of Divisi logged the instance. Such an instance has no process name, or no number
/// in its id, and cannot reconnect.
bool is_nameless(const InstanceView* one) {
    if (is_dealt(one) && one->state >= InstanceState::finished) return false;  // the instance was removed from the task
    return incarnation_of(one->id) == 0 || (one->process.empty() && one->state > InstanceState::starting);
}

}  // namespace

/// Adopts running tasks. `hold`: whether their submitters and processes are gone; tasks that had not begun then end.
void TaskLifecycle::adopt(bool hold) {
    const std::string why = "the orchestrator was restarted";
    const TimePoint until = context_.lived() + context_.limits().away;
    for (const auto& [id, node] : context_.state().nodes)
        if (node.state == NodeState::away) context_.sessions().expect(id, node.key, {PeerId(), until, why});
    std::vector<TaskId> strange, unbegun;
    for (const auto& [id, task] : context_.state().tasks) {
        if (!task.runs()) continue;
        if (task.ending) ending_.insert(id);
        const auto instances = instances_of(context_.state(), id);
        bool joined = true;
        for (const InstanceView* one : instances) {
            joined &= one->joined || (is_dealt(one) && has_begun(context_.state(), id));
            if (one->joined && !one->exited && !task.ending)
                context_.sessions().wait_for(one->id, {PeerId(), until, why});
        }
        if (hold && !joined && !task.ending) unbegun.push_back(id);
        else if (instances.empty() || std::ranges::any_of(instances, is_nameless)) strange.push_back(id);
        else adopt(task, joined, hold, until, why);
    }
    for (const TaskId& task : strange)
        context_.append(TaskEnded{task, Outcome::failed, make_error(error_text("task-not-adopted"), task.value())});
    for (const TaskId& task : unbegun)
        context_.append(TaskEnded{task, Outcome::failed, make_error(error_text("task-never-started"), task.value())});
    update_waits();
}

void TaskLifecycle::adopt(const TaskView& task, bool joined, bool hold, TimePoint until, const std::string& why) {
    const OrchestratorLimits& limits = context_.limits();
    Run run;
    run.left = hold;
    if (task.ending) run.deadline = context_.lived() + limits.ending;
    else if (task.phase == TaskPhase::registration)
        run.deadline = context_.lived() + (joined ? limits.preparation : limits.registration);
    open(task.id, run);
    for (TaskPart* part : parts_) part->adopt(task.id, until, why);
}

/// Marks an instance as away. If its process has ended, its node soon reports the exit status and last output.
void TaskLifecycle::instance_gone(const InstanceId& id, PeerId peer, const std::string& why,
                                  std::optional<Death> death) {
    if (!run_of(id)) return;
    const InstanceView& instance = context_.state().instances.at(id);
    if (task_of(instance).ending || instance.exited) return;
    context_.sessions().wait_for(id,
                                 {peer, context_.lived() + context_.limits().away, why, death, task_of(instance).step});
    context_.append(InstanceChanged{id, instance.state, "away: " + why});
    update_waits();
}

/// Fails instances that did not return in time.
void TaskLifecycle::check_away() {
    const std::string limit = std::to_string(context_.limits().away / std::chrono::seconds(1));
    for (const auto& [id, away] : std::map(context_.sessions().instances_away())) {
        if (context_.lived() < away.until) continue;
        context_.sessions().give_up(id);
        if (!run_of(id)) continue;
        const InstanceView& instance = context_.state().instances.at(id);
        fail(instance.task, id, make_error(error_text("instance-did-not-return"), id.value(), {away.why, limit}),
             Fault::lost);
        // The task continues without this process, which may still run. Only this message ends the process.
        if (instance.stage == dealt_stage && !instance.exited) context_.tell(instance.node, StopInstance{id});
    }
}

std::string TaskLifecycle::awaited_by(const TaskId& task) const {
    const auto& nodes_away = context_.sessions().nodes_away();
    const auto& instances_away = context_.sessions().instances_away();
    std::set<std::string> awaited;
    for (const InstanceView* instance : needed_instances(context_.state(), task)) {
        if (instance->exited) continue;
        const NodeId& node = instance->node;
        if (const auto away = nodes_away.find(node); away != nodes_away.end())
            awaited.insert("node " + node.value() + " (" + away->second.why + ")");
        else if (!instance->joined && !context_.sessions().of(node))
            awaited.insert("node " + node.value() + " (it is not connected)");
        else if (!instance->joined && !fitness_.can_play(task, node, instance->sid))
            awaited.insert("node " + node.value() + " (it could not start " + instance->sid.value() +
                           ", and is asked again)");
        else if (const auto too = instances_away.find(instance->id); too != instances_away.end())
            awaited.insert("instance " + instance->id.value() + " (" + too->second.why + ")");
    }
    for (const TaskPart* part : parts_) part->add_awaited(task, awaited);
    reports_.add_awaited(task, awaited);
    std::string text;
    std::size_t named = 0;
    for (const std::string& one : awaited) {
        if (named == most_named) return text + " and " + std::to_string(awaited.size() - named) + " more";
        text += (text.empty() ? "waits for " : ", ") + one;
        ++named;
    }
    const bool asked = context_.state().tasks.at(task).answer == task::FaultAnswer::wait;
    if (asked && !fitness_.awaited_nodes(task).empty()) text += ", as its task file says";
    return text;
}

void TaskLifecycle::update_waits() {
    for (const auto& [id, run] : runs_) update_waits(id);
}

void TaskLifecycle::update_waits(const TaskId& id) {
    const TaskView& task = context_.state().tasks.at(id);
    if (task.ending) return;
    const std::string text = awaited_by(id);
    if (text == task.phase_detail) return;
    const bool registering = task.phase == TaskPhase::registration;
    const TaskPhase phase = text.empty() ? TaskPhase::exchange : TaskPhase::exception;
    context_.append(PhaseChanged{id, registering ? task.phase : phase, text});
}

void TaskLifecycle::node_joined(const NodeId& node, const std::vector<InstanceId>& running) {
    stop_strangers(node, running);
    for (TaskPart* part : parts_) part->node_joined(node);
    std::vector<InstanceId> missing;
    for (const auto& [id, instance] : context_.state().instances)
        if (runs_.contains(instance.task) && instance.node == node && !instance.exited &&
            std::find(running.begin(), running.end(), id) == running.end())
            missing.push_back(id);
    for (const InstanceId& id : missing) reconcile_missing(id);
    for (TaskPart* part : parts_) part->node_settled(node);
}

/// Ends the processes on a newly registered node that should not run there.
void TaskLifecycle::stop_strangers(const NodeId& node, const std::vector<InstanceId>& running) {
    for (const InstanceId& instance : running) {
        const Run* run = run_of(instance);
        const auto view = context_.state().instances.find(instance);
        // The node agent outlived the orchestrator, so the cluster still exists.
        if (view != context_.state().instances.end())
            if (const auto found = runs_.find(view->second.task); found != runs_.end()) found->second.left = false;
        const bool ours = run && view->second.node == node && !view->second.exited;
        // A standby was given up while its node was away, so the node could not end it then.
        const bool dismissed = ours && view->second.stage == standby_stage && !stands_by(view->second);
        if (!ours || dismissed || run->killing) context_.tell(node, StopInstance{instance});
    }
}

/// Handles an instance that a newly registered node should run but does not run.
void TaskLifecycle::reconcile_missing(const InstanceId& id) {
    const char* const unseen = "the process ended while its node was away";
    if (!run_of(id)) return ended(id, unseen);  // another instance already has its SID
    const InstanceView& instance = context_.state().instances.at(id);
    const TaskView& task = task_of(instance);
    if (!task.ending && !instance.joined) {
        // It is unknown whether the instance's process ever started, so its number is not reused.
        context_.append(InstanceEnded{id, "its node does not know the instance"});
        leases_.grant_again(
            id, place({task.id, task.generation, instance.sid, instance.node, instance.stage, task.threads}));
        return;
    }
    fail(task.id, id, make_error(error_text("process-ended-unseen"), id.value()), Fault::exited);
    ended(id, unseen);
}

/// Ends instances that neither their node nor a connection knows any more. The end of such an instance was not noticed,
/// for example because a message was lost.
void TaskLifecycle::node_reported(const NodeId& node, const std::vector<InstanceId>& alive) {
    std::vector<InstanceId> gone;
    for (const TaskId& task : ending_)
        for (const InstanceView* one : processes_of(context_.state(), task))
            if (runs_.contains(task) && one->node == node && one->joined && !context_.sessions().of(one->id) &&
                std::find(alive.begin(), alive.end(), one->id) == alive.end())
                gone.push_back(one->id);
    for (const InstanceId& instance : gone) ended(instance, "");
}

void TaskLifecycle::node_lost(const NodeId& node, NodeState state) {
    std::vector<InstanceId> there;
    for (const auto& [id, instance] : context_.state().instances)
        if (runs_.contains(instance.task) && instance.node == node) there.push_back(id);
    for (const InstanceId& id : there) {
        if (run_of(id) && !context_.state().instances.at(id).exited)
            fail(context_.state().instances.at(id).task, id,
                 make_error(
                     state == NodeState::left ? error_text("instance-node-left") : error_text("instance-node-lost"),
                     id.value(), {node.value()}),
                 Fault::exited);
        ended(id, "its node was lost");
    }
}

}  // namespace divisi::control::inline runs
