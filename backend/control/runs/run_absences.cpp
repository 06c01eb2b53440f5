// SPDX-License-Identifier: Apache-2.0
// Handles nodes and instances of running tasks that are away, return or are lost, and adopts tasks after a restart.
#include <algorithm>

#include "backend/control/runs/runs.h"

namespace divisi::control::inline runs {
namespace {

/// Maximum number of awaited nodes and instances to name, so that the line stays readable.
constexpr std::size_t most_named = 5;

}  // namespace

/// `hold`: the submitters of the tasks are gone, and so are the tasks' processes. Tasks that had not begun are ended.
void Runs::adopt(bool hold) {
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
            joined &= one->joined || (one->stage == dealt_stage && begun(id));
            if (one->joined && !one->exited && !task.ending)
                context_.sessions().wait_for(one->id, {PeerId(), until, why});
        }
        if (hold && !joined && !task.ending) {
            unbegun.push_back(id);
            continue;
        }
        // Older versions logged processes without a name and ids without a number. Such a process cannot reconnect.
        const auto nameless = [](auto* one) {
            if (one->stage == dealt_stage && one->state >= InstanceState::finished) return false;  // removed again
            return incarnation_of(one->id) == 0 || (one->process.empty() && one->state > InstanceState::starting);
        };
        if (instances.empty() || std::any_of(instances.begin(), instances.end(), nameless)) {
            strange.push_back(id);
            continue;
        }
        Run& run = runs_[id];
        run.left = hold;
        if (task.ending) run.deadline = context_.lived() + context_.limits().ending;
        else if (task.phase == TaskPhase::registration)
            run.deadline = context_.lived() + (joined ? context_.limits().preparation : context_.limits().registration);
        adopt_data(id);
        adopt_standbys(id, until, why);
    }
    for (const TaskId& task : strange)
        context_.append(TaskEnded{
            task, Outcome::failed,
            Error{ErrorCode::failed, "the orchestrator was restarted by another version, which cannot adopt the task",
                  task.value(), "submit it again"}});
    for (const TaskId& task : unbegun)
        context_.append(TaskEnded{task, Outcome::failed,
                                  Error{ErrorCode::failed, "its cluster ended before all of its instances had started",
                                        task.value(), "submit it again"}});
    say_who_is_awaited();
}

/// Marks an instance as away. If its process has ended, its node soon reports the exit status and last output.
void Runs::instance_gone(const InstanceId& id, PeerId peer, const std::string& why, std::optional<Death> death) {
    if (!run_of(id)) return;
    const InstanceView& instance = context_.state().instances.at(id);
    if (task_of(instance).ending || instance.exited) return;
    context_.sessions().wait_for(id,
                                 {peer, context_.lived() + context_.limits().away, why, death, task_of(instance).step});
    context_.append(InstanceChanged{id, instance.state, "away: " + why});
    say_who_is_awaited();
}

/// Fails instances that did not return in time.
void Runs::check_away() {
    const std::string late =
        ", and it was not back within " + std::to_string(context_.limits().away / std::chrono::seconds(1)) + " s";
    for (const auto& [id, away] : std::map(context_.sessions().instances_away())) {
        if (context_.lived() < away.until) continue;
        context_.sessions().give_up(id);
        if (!run_of(id)) continue;
        const InstanceView& instance = context_.state().instances.at(id);
        fail(instance.task, id,
             {ErrorCode::unavailable, "the instance is away (" + away.why + late + ")", id.value(),
              "see the log of its node, then submit the task again"},
             Fault::lost);
        // The process may still live, and nobody else tells it that the task continues without it.
        if (instance.stage == dealt_stage && !instance.exited) context_.tell(instance.node, StopInstance{id});
    }
}

std::string Runs::awaited_by(const TaskId& task, const Run& run) const {
    const auto& nodes_away = context_.sessions().nodes_away();
    const auto& instances_away = context_.sessions().instances_away();
    std::set<std::string> awaited;
    for (const InstanceView* instance : needed(task)) {
        if (instance->exited) continue;
        const NodeId& node = instance->node;
        if (const auto away = nodes_away.find(node); away != nodes_away.end())
            awaited.insert("node " + node.value() + " (" + away->second.why + ")");
        else if (!instance->joined && !context_.sessions().of(node))
            awaited.insert("node " + node.value() + " (it is not there)");
        else if (!instance->joined && !can_play(task, node, instance->sid))
            awaited.insert("node " + node.value() + " (it could not start " + instance->sid.value() +
                           ", and is asked again)");
        else if (const auto too = instances_away.find(instance->id); too != instances_away.end())
            awaited.insert("instance " + instance->id.value() + " (" + too->second.why + ")");
    }
    if (std::string data = awaited_data(task, run); !data.empty()) awaited.insert(std::move(data));
    // It is normal to wait for an instance that computes. If an idle instance is awaited, nothing gets through between
    // the two.
    for (const auto& [id, load] : run.loads) {
        if (run.stands || std::chrono::milliseconds(load.waits_ms) < context_.limits().quiet) continue;
        for (const InstanceId& other : load.waits_for) {
            const auto its = run.loads.find(other);
            if (its != run.loads.end() && its->second.operation.empty() && !instances_away.contains(other))
                awaited.insert("instance " + other.value() + " (nothing of it reaches " + id.value() + ")");
        }
    }
    std::string text;
    std::size_t named = 0;
    for (const std::string& one : awaited) {
        if (named == most_named) return text + " and " + std::to_string(awaited.size() - named) + " more";
        text += (text.empty() ? "waits for " : ", ") + one;
        ++named;
    }
    const bool asked = context_.state().tasks.at(task).answer == task::FaultAnswer::wait;
    if (asked && !awaited_nodes(task).empty()) text += ", as its task file says";
    return text;
}

void Runs::say_who_is_awaited() {
    for (const auto& [id, run] : runs_) say_who_is_awaited(id, run);
}

void Runs::say_who_is_awaited(const TaskId& id, const Run& run) {
    const TaskView& task = context_.state().tasks.at(id);
    if (task.ending) return;
    const std::string text = awaited_by(id, run);
    if (text == task.phase_detail) return;
    const bool registering = task.phase == TaskPhase::registration;
    const TaskPhase phase = text.empty() ? TaskPhase::exchange : TaskPhase::exception;
    context_.append(PhaseChanged{id, registering ? task.phase : phase, text});
}

void Runs::node_joined(const NodeId& node, const std::vector<InstanceId>& running) {
    for (const InstanceId& instance : running) {
        const Run* run = run_of(instance);
        const auto view = context_.state().instances.find(instance);
        // The agent outlived the orchestrator, so the cluster still exists.
        if (view != context_.state().instances.end())
            if (const auto found = runs_.find(view->second.task); found != runs_.end()) found->second.left = false;
        const bool ours = run && view->second.node == node && !view->second.exited;
        // It was given up while its node was away and could not end it.
        const bool dismissed = ours && view->second.stage == standby_stage && !stands_by(view->second);
        if (!ours || dismissed || run->killing) context_.tell(node, StopInstance{instance});
    }
    for (auto& [task, run] : runs_) {
        run.data.unfit.erase(node);
        run.faults.unfit.erase(node);
        run.faults.exhausted.erase(node);
        run.faults.faults_on.erase(node);
        std::erase_if(run.faults.gone, [&](const auto& one) { return one.first == node; });
        if (run.standbys.wanted > 0 && !run.standbys.again) run.standbys.again = context_.lived();
    }
    std::vector<InstanceId> missing;
    for (const auto& [id, instance] : context_.state().instances)
        if (runs_.contains(instance.task) && instance.node == node && !instance.exited &&
            std::find(running.begin(), running.end(), id) == running.end())
            missing.push_back(id);
    for (const InstanceId& id : missing) {
        if (!run_of(id)) {
            ended(id, "it ended while its node was away");  // another instance already plays its SID
            continue;
        }
        const InstanceView& instance = context_.state().instances.at(id);
        const TaskView& task = task_of(instance);
        if (!task.ending && !instance.joined) {
            // It is unknown whether its process ever began, so its number is not reused.
            context_.append(InstanceEnded{id, "its node does not know of it"});
            leases_.grant_again(
                id, place(TaskId(task.id), task.generation, Sid(instance.sid), node, instance.stage, task.threads));
            continue;
        }
        fail(task.id, id,
             {ErrorCode::failed, "the instance's process ended while its node was away", id.value(),
              "see the log of its node, then submit the task again"},
             Fault::exited);
        ended(id, "it ended while its node was away");
    }
    check_data();
    end_waits(node);
}

/// Ends instances that neither their node nor a connection knows, even if a message was lost.
void Runs::node_reported(const NodeId& node, const std::vector<InstanceId>& alive) {
    std::vector<InstanceId> gone;
    for (const TaskId& task : ending_)
        for (const InstanceView* one : processes(task))
            if (runs_.contains(task) && one->node == node && one->joined && !context_.sessions().of(one->id) &&
                std::find(alive.begin(), alive.end(), one->id) == alive.end())
                gone.push_back(one->id);
    for (const InstanceId& instance : gone) ended(instance, "");
}

void Runs::node_lost(const NodeId& node, NodeState state) {
    std::vector<InstanceId> there;
    for (const auto& [id, instance] : context_.state().instances)
        if (runs_.contains(instance.task) && instance.node == node) there.push_back(id);
    for (const InstanceId& id : there) {
        if (run_of(id) && !context_.state().instances.at(id).exited)
            fail(context_.state().instances.at(id).task, id,
                 {ErrorCode::unavailable, "node " + node.value() + (state == NodeState::left ? " left" : " was lost"),
                  id.value(), "bring the node back or place the task on others, then submit it again"},
                 Fault::exited);
        ended(id, "its node was lost");
    }
}

}  // namespace divisi::control::inline runs
