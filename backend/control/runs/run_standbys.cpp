// SPDX-License-Identifier: Apache-2.0
// Manages standbys: idle processes of a training task. A standby can replace an instance that dies, so that a recovery
// need not start a process. run_recovery.cpp decides which one does.
#include <algorithm>

#include "backend/control/placement/placement.h"
#include "backend/control/runs/runs.h"
#include "backend/control/runs/standby_rules.h"
#include "backend/control/state/drain_state.h"
#include "backend/task/parse.h"

namespace divisi::control::inline runs {
namespace {

Sid standby_sid(const TaskId& task, std::int64_t number) {
    return Sid(task.value() + "/standby/" + std::to_string(number));
}

/// Returns whether a queued task waits for free nodes. It needs them more than an idle process does.
bool anybody_waits(const ClusterState& state) {
    return std::ranges::any_of(state.tasks, [](const auto& entry) {
        const TaskView& task = entry.second;
        return task.phase == TaskPhase::queued && task.queue == QueueState::nodes && !task.held;
    });
}

std::string host_of(const ClusterState& state, const NodeId& node) {
    const auto found = state.nodes.find(node);
    return found == state.nodes.end() ? std::string() : found->second.info.host;
}

/// Returns what a standby needs of a node: memory and its own device, but no processor.
PlanSummary needs_of_standby(const TaskView& task, const task::TaskSpec& spec) {
    PlanSummary one;
    one.threads = 0;
    one.memory = task.memory;
    one.wish = spec.place;
    one.device = spec.place.device;
    return one;
}

}  // namespace

/// Returns the instances and standbys of a task. The task is over once all of them have ended.
std::vector<const InstanceView*> Runs::processes(const TaskId& task) const {
    auto all = instances_of(context_.state(), task);
    const auto standbys = standbys_of(context_.state(), task);
    all.insert(all.end(), standbys.begin(), standbys.end());
    return all;
}

/// Schedules the start of all standbys that the task file asks for. Call when the task starts to train.
void Runs::await_standbys(const TaskId& id) {
    const TaskView& task = context_.state().tasks.at(id);
    StandbyCare& care = runs_.at(id).standbys;
    const auto spec = task::parse_task(task.text, id.value());
    const bool may = spec && task.answer == task::FaultAnswer::recover;
    care.wanted = may ? spec->place.standby : 0;
    if (care.wanted > 0) care.again = context_.lived() + standby_delay;
}

/// Adopts the standbys of a task after a restart; they reconnect as instances do.
void Runs::adopt_standbys(const TaskId& id, TimePoint until, const std::string& why) {
    if (context_.state().tasks.at(id).ending) return;
    StandbyCare& care = runs_.at(id).standbys;
    for (const InstanceView* one : standbys_of(context_.state(), id)) {
        if (!stands_by(*one)) continue;
        if (one->joined) context_.sessions().wait_for(one->id, {PeerId(), until, why});
        if (one->state != InstanceState::standby)
            care.arriving[one->id] = context_.lived() + context_.limits().registration + context_.limits().preparation;
    }
    await_standbys(id);
}

/// Starts missing standbys if there is room, and retries later if there is none. Starts none while the task recovers,
/// since that would delay the awaited instances.
void Runs::fill_standbys(const TaskId& id) {
    const TaskView& task = context_.state().tasks.at(id);
    StandbyCare& care = runs_.at(id).standbys;
    care.again.reset();
    const auto spec = task::parse_task(task.text, id.value());
    if (!begun(id) || task.ending || !spec) return;
    std::set<Sid> there;
    for (const InstanceView* one : standbys_of(context_.state(), id))
        if (stands_by(*one)) there.insert(one->sid);
    for (std::int64_t number = 0; number < care.wanted; ++number) {
        const Sid sid = standby_sid(id, number);
        if (there.contains(sid)) continue;
        const bool often = care.deaths.spent(context_.lived());
        const auto node = often ? std::nullopt : node_for_standby(task, *spec);
        if (!node) {
            care.again = context_.lived() + standby_retry;
            if (std::exchange(care.short_of, true)) return;
            return context_.append(
                Noted{Severity::warning, "orchestrator", id.value(),
                      "standby " + sid.value() + " is not started now: " +
                          (often ? "standbys of the task have died too often" : "no node has room")});
        }
        const InstanceId instance = place(id, task.generation, sid, *node, standby_stage, task.threads);
        leases_.grant(instance, terms_on(spec->place.device, task.threads));
    }
    care.short_of = false;
}

/// Fails standbys that are not ready in time, and starts missing ones when they are due.
void Runs::check_standbys() {
    std::vector<TaskId> due;
    std::vector<InstanceId> late, drained, surplus, unfit;
    for (auto& [id, run] : runs_) {
        std::erase_if(run.standbys.arriving,
                      [&](const auto& one) { return !stands_by(context_.state().instances.at(one.first)); });
        for (const auto& [instance, until] : run.standbys.arriving)
            if (context_.lived() >= until) late.push_back(instance);
        if (run.standbys.again && context_.lived() >= *run.standbys.again) due.push_back(id);
        for (const InstanceView* one : standbys_of(context_.state(), id))
            if (stands_by(*one) && context_.sessions().of(one->node)) {
                if (is_surplus(*one)) surplus.push_back(one->id);
                else if (is_draining(context_.state(), one->node)) drained.push_back(one->id);
                else if (!is_fit(id, one->node)) unfit.push_back(one->id);
            }
    }
    for (const InstanceId& id : drained) replace_standby(id, "its node is drained");
    for (const InstanceId& id : unfit) replace_standby(id, "its node is no longer fit for the task");
    for (const InstanceId& id : surplus) dismiss_standby(id, "the plan that it was started for did not take force");
    for (const InstanceId& id : late)
        fail(context_.state().instances.at(id).task, id,
             {ErrorCode::deadline, "the standby was not ready in time", id.value(), "see the log of its node"},
             Fault::lost);
    for (const TaskId& task : due) fill_standbys(task);
}

/// Ends a standby and starts another elsewhere. This does not count as a death. A standby that was started for a re-cut
/// is not replaced, since its plan is given up.
void Runs::replace_standby(const InstanceId& id, const std::string& reason) {
    StandbyCare& care = runs_.at(context_.state().instances.at(id).task).standbys;
    if (care.wanted > 0) care.again = context_.lived() + standby_retry;
    dismiss_standby(id, reason);
}

void Runs::dismiss_standby(const InstanceId& id, const std::string& reason) {
    const InstanceView& one = context_.state().instances.at(id);
    StandbyCare& care = runs_.at(one.task).standbys;
    care.arriving.erase(id);
    care.for_recut.erase(id);
    const NodeId node = one.node;
    context_.sessions().give_up(id);
    leases_.finish(id, reason);
    context_.append(InstanceChanged{id, InstanceState::stopped, reason});
    context_.tell(node, StopInstance{id});
}

/// Returns whether the standby was started for a plan that is no longer prepared. After a restart no plan is.
bool Runs::is_surplus(const InstanceView& standby) const {
    const StandbyCare& care = runs_.at(standby.task).standbys;
    if (task_of(standby).ending || care.for_recut.contains(standby.id)) return false;
    for (std::int64_t number = 0; number < care.wanted; ++number)
        if (standby.sid == standby_sid(standby.task, number)) return false;
    return true;
}

/// Returns a ready standby on the node that is not `taken`, for the next plan of its task; null if none.
const InstanceView* Runs::ready_standby_on(const TaskId& task, const NodeId& node,
                                           const std::vector<InstanceId>& taken) const {
    for (const InstanceView* one : standbys_of(context_.state(), task))
        if (one->node == node && one->state == InstanceState::standby && context_.sessions().of(one->id) &&
            std::ranges::count(taken, one->id) == 0)
            return one;
    return nullptr;
}

/// Starts a standby for a re-cut. Its number follows those of the standbys that the task file asks for.
InstanceId Runs::start_for_recut(const TaskId& id, const NodeId& node, const NextPlan& next) {
    const TaskView& task = context_.state().tasks.at(id);
    StandbyCare& care = runs_.at(id).standbys;
    std::set<Sid> there;
    for (const InstanceView* one : standbys_of(context_.state(), id))
        if (stands_by(*one)) there.insert(one->sid);
    std::int64_t number = care.wanted;
    while (there.contains(standby_sid(id, number))) ++number;
    care.next_text = next.text;
    care.next_plan = next.plan.plan_hash;
    const Sid sid = standby_sid(id, number);
    care.for_recut.insert(next_instance(context_.state(), sid));
    const InstanceId instance = place(id, task.generation, sid, node, standby_stage, next.plan.threads);
    leases_.grant(instance, terms_on(next.plan.device, next.plan.threads));
    return instance;
}

std::optional<TimePoint> Runs::standby_deadline(const Run& run) const {
    std::optional<TimePoint> next = run.standbys.again;
    for (const auto& [instance, until] : run.standbys.arriving) next = std::min(next.value_or(until), until);
    return next;
}

/// Returns whether an instance on `own` would compute the same on `other`, equally near to its peers and equally
/// secure.
bool Runs::is_alike(const NodeId& own, const NodeId& other) const {
    const auto& nodes = context_.state().nodes;
    const auto a = nodes.find(own), b = nodes.find(other);
    if (a == nodes.end() || b == nodes.end()) return false;
    const NodeInfo &here = a->second.info, &there = b->second.info;
    return here.fingerprint == there.fingerprint && here.mic == there.mic && (there.secure || !here.secure);
}

/// Returns a node for a standby. Prefers a node with room but no stage of the task, on which one of its stages could
/// continue, since it outlives the stages' nodes. Nodes on other hosts come first, as for copies of snapshots.
///
/// If the stages are tied to their nodes, no other node exists, or queued tasks wait for nodes, returns a stage's node.
/// This is the one with the fewest standbys and, among equals, the most stages.
std::optional<NodeId> Runs::node_for_standby(const TaskView& task, const task::TaskSpec& spec) const {
    struct Count {
        std::int32_t standbys = 0, stages = 0;
    };
    std::map<NodeId, Count> own;
    std::set<std::string> hosts;
    bool tied = places_stages(spec) || anybody_waits(context_.state());
    for (const InstanceView* one : instances_of(context_.state(), task.id)) {
        if (one->stage < 0) continue;
        ++own[one->node].stages;
        hosts.insert(host_of(context_.state(), one->node));
        tied = tied || is_bound(task, *one);
    }
    for (const InstanceView* one : standbys_of(context_.state(), task.id))
        if (const auto at = own.find(one->node); at != own.end() && stands_by(*one)) ++at->second.standbys;
    const PlanSummary one = needs_of_standby(task, spec);
    const PlacementRequest request{task.submitter, task.id, context_.now(), task.most_seconds};
    Vacancies free(context_.state(), use_of(context_.state()));
    const auto serves = [&](const NodeId& node) {
        return std::ranges::any_of(own, [&](const auto& stage) { return is_alike(stage.first, node); });
    };
    std::vector<NodeId> others;
    if (!tied) others = free.in_turn(one, request, context_.state().nodes.size());
    std::stable_partition(others.begin(), others.end(),
                          [&](const NodeId& node) { return !hosts.contains(host_of(context_.state(), node)); });
    for (const NodeId& node : others)
        if (!own.contains(node) && is_fit(task.id, node) && serves(node) && !free.obstacle({node}, one, request))
            return node;
    const std::pair<const NodeId, Count>* best = nullptr;
    for (const auto& entry : own) {
        const auto& [node, count] = entry;
        const auto standing = free.standing(node);
        const bool full = standing && standing->shared && !task.exclusive && free.obstacle({node}, one, request);
        if (!is_fit(task.id, node) || full || is_draining(context_.state(), node)) continue;
        const auto rank = [](const Count& of) { return std::pair(of.standbys, -of.stages); };
        if (!best || rank(count) < rank(best->second)) best = &entry;
    }
    return best ? std::optional(best->first) : std::nullopt;
}

/// Marks a standby as ready: it has loaded what it can of the plan that it was deployed with.
void Runs::standby_ready(const InstanceView& instance, const InstancePrepared& message) {
    const TaskView& task = task_of(instance);
    if (instance.state != InstanceState::registered) return;  // reported twice
    const bool same_plan = message.generation >= task.plan_since && message.generation <= task.generation;
    const StandbyCare& care = runs_.at(task.id).standbys;
    const std::string& wanted = care.for_recut.contains(instance.id) ? care.next_plan : task.plan_hash;
    if (same_plan && message.plan_hash != wanted)
        return fail(task.id, message.instance,
                    {ErrorCode::conflict, "the standby compiled another plan", message.instance.value(),
                     "run the same version on every node"},
                    Fault::lost);
    runs_.at(task.id).standbys.arriving.erase(message.instance);
    context_.append(InstanceChanged{message.instance, InstanceState::standby, ""});
    context_.append(Noted{Severity::info, "orchestrator", task.id.value(),
                          message.instance.value() + " stands by on " + instance.node.value()});
}

/// Answers a standby that reconnects. It can only have missed the end of its task.
void Runs::resume_standby(const Received& received, const RegisterInstance& message) {
    const InstanceView& instance = context_.state().instances.at(message.instance);
    const TaskView& task = task_of(instance);
    if (message.state == InstanceState::starting) context_.answer(received, deploy(instance));
    else context_.answer(received, ResumeInstance{task.id, message.generation, 0, 0});
    context_.append(InstanceChanged{instance.id, instance.state, ""});
    if (task.ending) context_.send(received.peer, EndInstance{instance.id, "its task is ending"});
}

/// Ends a standby but keeps its process for an instance of this SID, which its node is told next. The standby's lease
/// ends and the instance gets its own. Returns an empty id if the node is away.
InstanceId Runs::take_standby(const InstanceId& standby, const Sid& sid) {
    const NodeId node = context_.state().instances.at(standby).node;
    const TaskId task = context_.state().instances.at(standby).task;
    const std::string reason = "its process goes on as " + sid.value();
    context_.sessions().give_up(standby);
    leases_.finish(standby, reason);
    context_.append(InstanceChanged{standby, InstanceState::stopped, reason});
    context_.append(
        Noted{Severity::info, "orchestrator", task.value(),
              sid.value() + " goes on in the process of standby " + standby.value() + " on " + node.value()});
    return context_.tell(node, StopInstance{standby, true}) ? standby : InstanceId();
}

/// Handles the loss of a standby. Returns whether the culprit was one: the task lacks no part, and starts another
/// standby.
bool Runs::handle_standby_fault(const TaskId& task, const InstanceId& culprit, const Error& error, Fault fault) {
    const auto found = context_.state().instances.find(culprit);
    if (found == context_.state().instances.end() || found->second.stage != standby_stage) return false;
    if (!stands_by(found->second)) return true;  // it already plays a stage, or was given up
    const NodeId node = found->second.node;
    StandbyCare& care = runs_.at(task).standbys;
    // The death of a standby started for a re-cut concerns only that re-cut.
    if (care.for_recut.erase(culprit) == 0) care.deaths.count(context_.lived());
    care.arriving.erase(culprit);
    care.again =
        context_.lived() + (fault == Fault::exited ? Duration{} : standby_retry);  // its node must end it first
    context_.append(InstanceChanged{culprit, InstanceState::failed, error.message()});
    leases_.finish(culprit, error.what);
    context_.append(Noted{Severity::warning, "instance " + culprit.value(), task.value(),
                          "it stands by no more: " + error.message()});
    context_.sessions().give_up(culprit);
    if (fault != Fault::exited) context_.tell(node, StopInstance{culprit});
    return true;
}

}  // namespace divisi::control::inline runs
