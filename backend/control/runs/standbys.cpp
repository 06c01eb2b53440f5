// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/standbys.h"

#include <algorithm>
#include <utility>

#include "backend/control/placement/placement.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/runs/standby_pool.h"
#include "backend/control/runs/task_instances.h"
#include "backend/control/state/drain_state.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::control::inline runs {
namespace {

constexpr const char* plan_given_up = "the plan for which it was started did not come into force";

Sid standby_sid(const TaskId& task, std::int64_t number) {
    return Sid(task.value() + "/standby/" + std::to_string(number));
}

/// Returns whether a queued task waits for free nodes. Such a task takes precedence over an idle process.
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

/// Returns the resources that a standby needs on a node: memory and its own device, but no processor.
PlanSummary needs_of_standby(const TaskView& task, const task::TaskSpec& spec) {
    PlanSummary one;
    one.threads = 0;
    one.memory = task.memory;
    one.wish = spec.place;
    one.device = spec.place.device;
    return one;
}

}  // namespace

void Standbys::training_begun(const TaskId& id) {
    const TaskView& task = context_.state().tasks.at(id);
    Book& book = books_.at(id);
    const auto spec = task::parse_task(task.text, id.value());
    const bool may = spec && task.answer == task::FaultAnswer::recover;
    book.wanted = may ? spec->place.standby : 0;
    if (book.wanted > 0) book.again = context_.lived() + standby_delay;
}

void Standbys::adopt(const TaskId& id, TimePoint until, const std::string& why) {
    if (context_.state().tasks.at(id).ending) return;
    Book& book = books_.at(id);
    for (const InstanceView* one : standbys_of(context_.state(), id)) {
        if (!stands_by(*one)) continue;
        if (one->joined) context_.sessions().wait_for(one->id, {PeerId(), until, why});
        if (one->state != InstanceState::standby)
            book.arriving[one->id] = context_.lived() + context_.limits().registration + context_.limits().preparation;
    }
    training_begun(id);
}

void Standbys::started(const InstanceView& instance) {
    if (instance.stage != standby_stage) return;
    books_.at(instance.task).arriving[instance.id] =
        context_.lived() + context_.limits().registration + context_.limits().preparation;
}

void Standbys::node_joined(const NodeId&) {
    for (auto& [task, book] : books_)
        if (book.wanted > 0 && !book.again) book.again = context_.lived();
}

void Standbys::follow(const Event& event) {
    if (const auto* ended = get_if<TaskEnded>(&event.body)) books_.erase(ended->task);
    const auto* ending = get_if<TaskEnding>(&event.body);
    if (const auto found = ending ? books_.find(ending->task) : books_.end(); found != books_.end()) found->second = {};
}

/// Starts missing standbys if nodes have room; otherwise retries later. Starts no standby while the task recovers,
/// since that would delay the awaited instances.
void Standbys::fill(const TaskId& id) {
    const TaskView& task = context_.state().tasks.at(id);
    Book& book = books_.at(id);
    book.again.reset();
    const auto spec = task::parse_task(task.text, id.value());
    if (!has_begun(context_.state(), id) || task.ending || !spec) return;
    std::set<Sid> there;
    for (const InstanceView* one : standbys_of(context_.state(), id))
        if (stands_by(*one)) there.insert(one->sid);
    for (std::int64_t number = 0; number < book.wanted; ++number) {
        const Sid sid = standby_sid(id, number);
        if (there.contains(sid)) continue;
        const bool often = book.deaths.spent(context_.lived());
        const auto node = often ? std::nullopt : node_for(task, *spec);
        if (!node) {
            book.again = context_.lived() + standby_retry;
            if (std::exchange(book.short_of, true)) return;
            return context_.append(
                Noted{Severity::warning, "orchestrator", id.value(),
                      "standby " + sid.value() + " is not started now: " +
                          (often ? "standbys of the task have died too often" : "no node has room")});
        }
        const InstanceId instance = starter_.place({id, task.generation, sid, *node, standby_stage, task.threads});
        leases_.grant(instance, terms_on(spec->place.device, task.threads));
    }
    book.short_of = false;
}

void Standbys::check_deadlines() {
    std::vector<TaskId> due;
    std::vector<InstanceId> late, drained, surplus, unfit;
    for (auto& [id, book] : books_) {
        std::erase_if(book.arriving,
                      [&](const auto& one) { return !stands_by(context_.state().instances.at(one.first)); });
        for (const auto& [instance, until] : book.arriving)
            if (context_.lived() >= until) late.push_back(instance);
        if (book.again && context_.lived() >= *book.again) due.push_back(id);
        for (const InstanceView* one : standbys_of(context_.state(), id))
            if (stands_by(*one) && context_.sessions().of(one->node)) {
                if (is_surplus(*one)) surplus.push_back(one->id);
                else if (is_draining(context_.state(), one->node)) drained.push_back(one->id);
                else if (!fitness_.is_fit(id, one->node)) unfit.push_back(one->id);
            }
    }
    for (const InstanceId& id : drained) replace(id, "its node is drained");
    for (const InstanceId& id : unfit) replace(id, "its node is no longer fit for the task");
    for (const InstanceId& id : surplus) dismiss(id, plan_given_up);
    fail_late(late);
    for (const TaskId& task : due) fill(task);
}

void Standbys::fail_late(const std::vector<InstanceId>& late) {
    for (const InstanceId& id : late) {
        Error error = make_error(error_text("standby-late"), id.value());
        handle_fault(context_.state().instances.at(id).task, id, error, Fault::lost);
    }
}

/// Ends a standby and schedules the start of another standby. Such a replacement does not count as a death. A standby
/// that was started for a re-cut is not replaced, since its plan is given up.
void Standbys::replace(const InstanceId& id, const std::string& reason) {
    Book& book = books_.at(context_.state().instances.at(id).task);
    if (book.wanted > 0) book.again = context_.lived() + standby_retry;
    dismiss(id, reason);
}

void Standbys::dismiss(const InstanceId& id, const std::string& reason) {
    const InstanceView& one = context_.state().instances.at(id);
    Book& book = books_.at(one.task);
    book.arriving.erase(id);
    book.for_recut.erase(id);
    const NodeId node = one.node;
    context_.sessions().give_up(id);
    leases_.finish(id, reason);
    context_.append(InstanceChanged{id, InstanceState::stopped, reason});
    context_.tell(node, StopInstance{id});
}

/// Returns whether the standby was started for a plan that is no longer prepared. After a restart no plan is prepared.
bool Standbys::is_surplus(const InstanceView& standby) const {
    const Book& book = books_.at(standby.task);
    if (context_.state().tasks.at(standby.task).ending || book.for_recut.contains(standby.id)) return false;
    for (std::int64_t number = 0; number < book.wanted; ++number)
        if (standby.sid == standby_sid(standby.task, number)) return false;
    return true;
}

InstanceId Standbys::prepare(const TaskId& task, const NodeId& node, const NextPlan& next,
                             const std::vector<InstanceId>& taken) {
    const InstanceView* ready = ready_on(task, node, taken);
    return ready ? ready->id : start_for_recut(task, node, next);
}

void Standbys::give_up_plan(const TaskId& task) {
    const auto found = books_.find(task);
    if (found == books_.end()) return;
    for (const InstanceId& id : std::exchange(found->second.for_recut, {})) {
        const auto standby = context_.state().instances.find(id);
        if (standby != context_.state().instances.end() && stands_by(standby->second)) dismiss(id, plan_given_up);
    }
}

void Standbys::complete(const InstanceView& instance, Deploy& deploy) const {
    const auto found = books_.find(instance.task);
    if (found == books_.end() || !found->second.for_recut.contains(instance.id)) return;
    deploy.text = found->second.next_text;
    deploy.plan_hash = found->second.next_plan;
}

/// Returns a ready standby on the node that is not in `taken`, for the next plan of its task; null if there is none.
const InstanceView* Standbys::ready_on(const TaskId& task, const NodeId& node,
                                       const std::vector<InstanceId>& taken) const {
    for (const InstanceView* one : standbys_of(context_.state(), task))
        if (one->node == node && one->state == InstanceState::standby && context_.sessions().of(one->id) &&
            std::ranges::count(taken, one->id) == 0)
            return one;
    return nullptr;
}

/// Starts a standby for a re-cut. The new number follows the numbers of the standbys that the task file asks for.
InstanceId Standbys::start_for_recut(const TaskId& id, const NodeId& node, const NextPlan& next) {
    const TaskView& task = context_.state().tasks.at(id);
    Book& book = books_.at(id);
    std::set<Sid> there;
    for (const InstanceView* one : standbys_of(context_.state(), id))
        if (stands_by(*one)) there.insert(one->sid);
    std::int64_t number = book.wanted;
    while (there.contains(standby_sid(id, number))) ++number;
    book.next_text = next.text;
    book.next_plan = next.plan.plan_hash;
    const Sid sid = standby_sid(id, number);
    book.for_recut.insert(next_instance(context_.state(), sid));
    const InstanceId instance = starter_.place({id, task.generation, sid, node, standby_stage, next.plan.threads});
    leases_.grant(instance, terms_on(next.plan.device, next.plan.threads));
    return instance;
}

std::optional<TimePoint> Standbys::next_deadline() const {
    std::optional<TimePoint> next;
    const auto earlier = [&](TimePoint one) { next = std::min(next.value_or(one), one); };
    for (const auto& [task, book] : books_) {
        if (book.again) earlier(*book.again);
        for (const auto& [instance, until] : book.arriving) earlier(until);
    }
    return next;
}

/// Returns a node for a standby. Prefers a node with room but no stage of the task, on which a stage of the task could
/// continue. A standby there survives the loss of a stage's node. Nodes on other hosts come first, as for copies of
/// snapshots.
///
/// If the stages are tied to their nodes, no other node exists, or queued tasks wait for nodes, returns a stage's node.
/// This is the stage's node with the fewest standbys and, among equals, the most stages.
std::optional<NodeId> Standbys::node_for(const TaskView& task, const task::TaskSpec& spec) const {
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
        tied = tied || is_bound(context_.state(), *one);
    }
    for (const InstanceView* one : standbys_of(context_.state(), task.id))
        if (const auto at = own.find(one->node); at != own.end() && stands_by(*one)) ++at->second.standbys;
    const PlanSummary one = needs_of_standby(task, spec);
    const PlacementRequest request{task.submitter, task.id, context_.now(), task.most_seconds};
    Vacancies free(context_.state(), use_of(context_.state()));
    const auto serves = [&](const NodeId& node) {
        return std::ranges::any_of(own,
                                   [&](const auto& stage) { return is_alike(context_.state(), stage.first, node); });
    };
    std::vector<NodeId> others;
    if (!tied) others = free.in_turn(one, request, context_.state().nodes.size());
    std::stable_partition(others.begin(), others.end(),
                          [&](const NodeId& node) { return !hosts.contains(host_of(context_.state(), node)); });
    for (const NodeId& node : others)
        if (!own.contains(node) && fitness_.is_fit(task.id, node) && serves(node) &&
            !free.obstacle({node}, one, request))
            return node;
    const std::pair<const NodeId, Count>* best = nullptr;
    for (const auto& entry : own) {
        const auto& [node, count] = entry;
        const auto standing = free.standing(node);
        const bool full = standing && standing->shared && !task.exclusive && free.obstacle({node}, one, request);
        if (!fitness_.is_fit(task.id, node) || full || is_draining(context_.state(), node)) continue;
        const auto rank = [](const Count& of) { return std::pair(of.standbys, -of.stages); };
        if (!best || rank(count) < rank(best->second)) best = &entry;
    }
    return best ? std::optional(best->first) : std::nullopt;
}

bool Standbys::handle_prepared(const InstanceView& instance, const InstancePrepared& message) {
    if (instance.stage != standby_stage) return false;
    const TaskView& task = context_.state().tasks.at(instance.task);
    if (instance.state != InstanceState::registered) return true;  // the instance reported this twice
    const bool same_plan = message.generation >= task.plan_since && message.generation <= task.generation;
    const Book& book = books_.at(task.id);
    const std::string& wanted = book.for_recut.contains(instance.id) ? book.next_plan : task.plan_hash;
    if (same_plan && message.plan_hash != wanted) {
        Error error = make_error(error_text("standby-compiled-another-plan"), message.instance.value());
        return handle_fault(task.id, message.instance, error, Fault::lost);
    }
    books_.at(task.id).arriving.erase(message.instance);
    context_.append(InstanceChanged{message.instance, InstanceState::standby, ""});
    context_.append(Noted{Severity::info, "orchestrator", task.id.value(),
                          message.instance.value() + " is ready as a standby on " + instance.node.value()});
    return true;
}

InstanceId Standbys::take(const InstanceId& standby, const Sid& sid) {
    const NodeId node = context_.state().instances.at(standby).node;
    const TaskId task = context_.state().instances.at(standby).task;
    const std::string reason = "its process continues as " + sid.value();
    context_.sessions().give_up(standby);
    leases_.finish(standby, reason);
    context_.append(InstanceChanged{standby, InstanceState::stopped, reason});
    context_.append(
        Noted{Severity::info, "orchestrator", task.value(),
              sid.value() + " continues in the process of standby " + standby.value() + " on " + node.value()});
    return context_.tell(node, StopInstance{standby, true}) ? standby : InstanceId();
}

bool Standbys::handle_fault(const TaskId& task, const InstanceId& culprit, Error& error, Fault fault) {
    const auto found = context_.state().instances.find(culprit);
    if (found == context_.state().instances.end() || found->second.stage != standby_stage) return false;
    if (!stands_by(found->second)) return true;  // the instance already runs a stage, or was given up
    const NodeId node = found->second.node;
    Book& book = books_.at(task);
    // The death of a standby started for a re-cut concerns only that re-cut.
    if (book.for_recut.erase(culprit) == 0) book.deaths.count(context_.lived());
    book.arriving.erase(culprit);
    book.again =
        context_.lived() + (fault == Fault::exited ? Duration{} : standby_retry);  // the old process must end first
    context_.append(InstanceChanged{culprit, InstanceState::failed, error.message()});
    leases_.finish(culprit, error.what);
    context_.append(Noted{Severity::warning, "instance " + culprit.value(), task.value(),
                          "the instance is no longer a standby: " + error.message()});
    context_.sessions().give_up(culprit);
    if (fault != Fault::exited) context_.tell(node, StopInstance{culprit});
    return true;
}

}  // namespace divisi::control::inline runs
