// SPDX-License-Identifier: Apache-2.0
// Begins generations. All instances of a task are placed again and continue from a checkpoint. A recovery keeps the
// stages; a re-cut starts the stages of another plan.
#include <algorithm>

#include "backend/control/protocol/node_messages.h"
#include "backend/control/runs/task_instances.h"
#include "backend/control/runs/task_recovery.h"

namespace divisi::control::inline runs {
namespace {

constexpr const char* recut_reason = "the task was re-cut";

/// Returns, by stage, the old instance on the same node whose process continues as that stage; null if no instance is
/// left. Order of preference:
/// 1. the only instance with the stage's operators, since they may be in memory unchanged,
/// 2. the instance with most of the stage's operators,
/// 3. the instance with the same stage number,
/// 4. any instance.
std::vector<const InstanceView*> processes_for(const std::vector<StageOrigin>& origins,
                                               const std::vector<const InstanceView*>& before) {
    std::vector<const InstanceView*> processes(origins.size(), nullptr);
    std::set<InstanceId> taken;
    enum class Which { alone, most, same_number, any };
    const auto fits = [&](const InstanceView& one, std::size_t stage, Which which) {
        const StageOrigin& origin = origins[stage];
        if (one.stage < 0 || one.node != origin.node || one.exited) return false;
        const bool most = !origin.from.empty() && origin.from.front() == one.stage;
        switch (which) {
            case Which::alone: return most && origin.from.size() == 1;
            case Which::most: return most;
            case Which::same_number: return one.stage == static_cast<std::int32_t>(stage);
            case Which::any: return true;
        }
        return false;
    };
    for (const Which which : {Which::alone, Which::most, Which::same_number, Which::any})
        for (std::size_t stage = 0; stage < origins.size(); ++stage)
            for (const InstanceView* one : before) {
                if (processes[stage] || !fits(*one, stage, which) || !taken.insert(one->id).second) continue;
                processes[stage] = one;
            }
    return processes;
}

}  // namespace

void TaskRecovery::recover(const TaskId& id, const InstanceId& culprit, const Error& error, Fault fault) {
    const TaskView& task = context_.state().tasks.at(id);
    const Checkpoint* from = placement_.checkpoint_for(task);
    const auto before = instances_of(context_.state(), id);
    const std::int64_t step = from ? from->step : 0;
    const std::string kind = kind_of(culprit, error, fault);
    const auto next = placement_.continuations(task, before, from, culprit);  // computed before the state changes
    if (!culprit.value().empty()) {
        context_.append(InstanceChanged{culprit, InstanceState::failed, error.message()});
        leases_.finish(culprit, error.what);
    }
    context_.append(PhaseChanged{id, TaskPhase::exception, error.message()});
    const Generation generation = task.generation + 1;
    context_.append(TaskRecovers{id, generation, step, culprit, error.what});
    control_.begin_generation(id);
    std::string answer = "back to step " + std::to_string(step) + " as generation " + std::to_string(generation);
    for (const InstanceView* one : before) {
        if (!is_placed_again(*one)) continue;
        const auto& [node, standby] = next.at(one->sid);
        InstanceId process;
        if (leave(*one, node, culprit, fault, error.what)) process = one->id;
        else if (!standby.value().empty()) process = standbys_.take(standby, one->sid);
        const InstanceId instance = control_.place({id, generation, one->sid, node, one->stage, task.threads, process});
        leases_.grant_again(one->id, instance);
        if (!process.value().empty() && process == standby)
            answer += ", " + one->sid.value() + " by a standby on node " + node.value();
        else if (node != one->node)
            answer += ", " + one->sid.value() + " from node " + one->node.value() + " to node " + node.value();
        else if (one->id == culprit) answer += ", " + one->sid.value() + " again on node " + node.value();
        if (!fitness_.can_play(id, node, one->sid)) tell_wait(task, one->sid, node);
    }
    if (fault == Fault::none)
        context_.append(Noted{Severity::info, "orchestrator", id.value(), error.what + "; it goes " + answer});
    else tell_answer(id, culprit, kind, answer);
    control_.generation_placed(id);
    control_.update_waits(id);
}

void TaskRecovery::tell_wait(const TaskView& task, const Sid& sid, const NodeId& node) {
    std::string text = "the task waits for node " + node.value();
    text += task.answer == task::FaultAnswer::wait ? ", as its task file says"
                                                   : ", the only one with the state that " + sid.value() + " needs";
    if (context_.sessions().of(node))
        text += "; the node could not start the instance, and is asked again in " +
                std::to_string(context_.limits().registration / std::chrono::seconds(1)) + " s";
    context_.append(Noted{Severity::warning, "orchestrator", task.id.value(), text});
}

/// Ends an instance of the old generation. Returns whether its process is kept for its successor on the same node.
bool TaskRecovery::leave(const InstanceView& before, const NodeId& next, const InstanceId& culprit, Fault fault,
                         const std::string& reason) {
    context_.sessions().give_up(before.id);
    leases_.finish(before.id, reason);
    const bool is_culprit = before.id == culprit;
    if (before.exited || (is_culprit && fault == Fault::exited)) return false;
    const bool keep = !is_culprit && before.joined && before.node == next;
    return context_.tell(before.node, StopInstance{before.id, keep}) && keep;
}

std::vector<InstanceId> TaskRecovery::prepare_recut(const TaskId& id, const NextPlan& next) {
    std::vector<InstanceId> chosen;
    for (const InstanceView* one : processes_for(next.origins, instances_of(context_.state(), id)))
        chosen.push_back(one ? one->id : InstanceId());
    for (std::size_t stage = 0; stage < chosen.size(); ++stage) {
        if (!chosen[stage].value().empty()) continue;
        chosen[stage] = standbys_.prepare(id, next.origins[stage].node, next, chosen);
    }
    return chosen;
}

void TaskRecovery::give_up_recut(const TaskId& id) {
    control_.resume_steps(id);
    standbys_.give_up_plan(id);
}

void TaskRecovery::recut(const TaskId& id, const NextPlan& next) {
    const TaskView& task = context_.state().tasks.at(id);
    const Generation generation = task.generation + 1;
    const std::string from = task.plan_hash;
    const auto before = instances_of(context_.state(), id);
    context_.append(planned_as(context_.state(), id, generation, next.plan));
    context_.append(TaskRecut{id, generation, next.step, from, next.plan.plan_hash, next.by, next.text, next.origins});
    control_.begin_generation(id);
    std::set<InstanceId> kept;
    for (const InstanceView* one : before) {
        if (!is_placed_again(*one)) continue;
        const bool goes_on = one->stage < 0 || std::ranges::count(next.processes, one->id) > 0;
        if (leave(*one, goes_on ? one->node : NodeId(), {}, Fault::lost, recut_reason)) kept.insert(one->id);
    }
    const auto process = [&](const InstanceId& one, const Sid& sid) {
        if (kept.contains(one)) return one;
        const auto standby = context_.state().instances.find(one);
        const bool ready = standby != context_.state().instances.end() && stands_by(standby->second);
        return ready ? standbys_.take(one, sid) : InstanceId();
    };
    for (std::size_t i = 0; i < next.origins.size(); ++i) {
        const auto stage = static_cast<std::int32_t>(i);
        const Sid sid = sid_in(id, stage);
        const InstanceId before_it = i < next.processes.size() ? next.processes[i] : InstanceId();
        const InstanceId instance = control_.place(
            {id, generation, sid, next.origins[i].node, stage, next.plan.threads, process(before_it, sid)});
        leases_.grant(instance, terms_on(next.plan.device, next.plan.threads));
    }
    for (const InstanceView* one : before) {
        if (one->stage >= 0 || !is_placed_again(*one)) continue;
        leases_.grant_again(one->id, control_.place({id, generation, one->sid, one->node, one->stage, next.plan.threads,
                                                     process(one->id, one->sid)}));
    }
    standbys_.plan_in_force(id);
    control_.generation_placed(id);
}

}  // namespace divisi::control::inline runs
