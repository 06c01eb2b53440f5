// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/task_queue.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "backend/control/placement/earliest.h"
#include "backend/control/placement/fair_share_order.h"
#include "backend/control/protocol/batch_group.h"
#include "backend/control/protocol/input_limits.h"
#include "backend/control/queue/resubmission.h"
#include "backend/control/state/faults.h"
#include "backend/control/state/shares.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline queue {
namespace {

/// Increase of a host's free memory after which tasks that wait for memory are tried again. Smaller changes are normal
/// fluctuations.
constexpr Bytes worth_a_look = Bytes{64} << 20;
constexpr double most_load = 1e6;  ///< highest plausible load of a host

/// Returns whether a waiting task might be able to start after this event.
bool concerns_queue(const Event::Body& body) {
    if (const auto* queued = get_if<TaskQueued>(&body)) return queued->state == QueueState::nodes;
    return holds_alternative<NodeJoined>(body) || holds_alternative<NodeEnded>(body) ||
           holds_alternative<TaskEnded>(body) || holds_alternative<TaskHeld>(body) ||
           holds_alternative<ClusterStarted>(body) || holds_alternative<ReservationEnded>(body) ||
           holds_alternative<DrainChanged>(body);
}

}  // namespace

void TaskQueue::follow(const Event& event) {
    changed_ |= concerns_queue(event.body) || frees_node(event.body);
    if (const auto* ended = get_if<TaskEnded>(&event.body)) plans_.erase(ended->task);
}

/// Returns whether an instance has left its node while the instance's task continues.
bool TaskQueue::frees_node(const Event::Body& body) const {
    const auto* ended = get_if<InstanceEnded>(&body);
    if (!ended) return false;
    const auto instance = context_.state().instances.find(ended->instance);
    if (instance == context_.state().instances.end()) return false;
    const auto task = context_.state().tasks.find(instance->second.task);
    return task != context_.state().tasks.end() && has_left(task->second, instance->second);
}

void TaskQueue::handle(const Received& received, const SubmitTask& message) { take(received, message, 0); }

void TaskQueue::submit_again(const Received& received, const SubmitTask& message, std::uint64_t exception) {
    take(received, message, exception);
}

void TaskQueue::take(const Received& received, const SubmitTask& message, std::uint64_t exception) {
    if (auto fits = check_submission(message); !fits) return context_.refuse(received, fits.error());
    const std::size_t most = context_.limits().queued_tasks;
    if (auto room = check_queue(context_.state(), message, context_.jobs().count<Planning>(), most); !room)
        return context_.refuse(received, room.error());
    auto submission = std::make_shared<const SubmitTask>(message);
    const auto begun = context_.begin({received.peer, received.correlation, submission, TaskId(), exception},
                                      Planning{submission}, JobLimit{most, most});
    if (!begun) context_.refuse(received, begun.error());
}

void TaskQueue::handle(const Received& received, const ReleaseTask& message) {
    const auto found = context_.state().tasks.find(message.task);
    if (found == context_.state().tasks.end()) return context_.refuse(received, context_.no_such_task(message.task));
    if (!found->second.held)
        return context_.refuse(received, make_error(error_text("task-not-held"), message.task.value()));
    context_.append(TaskHeld{message.task, false});
    context_.answer(received, Done{});
}

void TaskQueue::planned(const JobBook::Asked& asked, const Result<PlanSummary>& plan) {
    if (!asked.queued.value().empty()) return planned_again(asked.queued, plan);
    if (!context_.sessions().contains(asked.peer)) return;  // a task whose client has disconnected is not queued
    if (plan) submit(asked, *plan);
    else context_.refuse({asked.peer, asked.correlation, {}}, plan.error());
}

void TaskQueue::submit(const JobBook::Asked& asked, PlanSummary plan) {
    const SubmitTask& message = *asked.submission;
    const Received received{asked.peer, asked.correlation, {}};
    if (auto fits = check_placement(plan); !fits) return context_.refuse(received, fits.error());
    if (auto known = check_parent(plan, asked.exception); !known) return context_.refuse(received, known.error());
    const auto nodes = nodes_for(asked, plan);
    if (!nodes) return context_.refuse(received, nodes.error());
    Result<std::vector<Upload>> wanted = std::vector<Upload>();
    if (asked.exception == 0) wanted = deliveries_.uploads(asked.peer, plan, *nodes, message.files);
    if (!wanted) return context_.refuse(received, wanted.error());

    const TaskId id = next_task_id(context_.state(), plan.name);
    name_units(plan, id);
    TaskSubmitted submitted{id, plan.name,     message.text,         message.folder,
                            "", message.files, message.submitted_by, plan.priority};
    submitted.submitter = context_.sessions().at(asked.peer).credentials.name;
    submitted.skeleton = skeleton_name(message.skeleton);
    submitted.parent = plan.parent;
    const bool brings = !wanted->empty();
    if (has_brought_files(message.files)) submitted.nodes = *nodes;
    if (brings) submitted.client = client_name(context_.sessions().at(asked.peer));
    TaskPlanned in_force{id,
                         1,
                         plan.cuts,
                         plan.steps,
                         plan.batch,
                         plan.model,
                         plan.plan_hash,
                         {},
                         plan.threads,
                         plan.memory,
                         plan.wish.exclusive,
                         plan.most_seconds,
                         plan.group,
                         plan.checkpoint,
                         plan.answer};
    for (const PlannedUnit& unit : plan.units) in_force.units.push_back(unit.unit);
    if (auto fits = check_task(submitted, in_force); !fits) return context_.refuse(received, fits.error());
    if (!message.skeleton.empty()) models_.keep(id, message.skeleton);
    context_.append(std::move(submitted));
    context_.append(std::move(in_force));
    plans_[id] = std::move(plan);
    if (brings) deliveries_.begin(id, asked.peer);
    context_.append(TaskQueued{id, brings ? QueueState::files : QueueState::nodes});
    if (const auto tried = context_.state().exceptions.find(asked.exception);
        tried != context_.state().exceptions.end())
        context_.append(ExceptionClosed{asked.exception, TaskId(tried->second.task),
                                        context_.state().tasks.at(id).submitter, "tried again as " + id.value()});
    context_.answer(received, SubmitReply{id, std::move(*wanted)});
}

/// Returns the nodes for a new task. If the task repeats a failed task with uploaded files, these are the nodes that
/// have the files. Otherwise they are nodes with enough room for the plan.
Result<std::vector<NodeId>> TaskQueue::nodes_for(const JobBook::Asked& asked, const PlanSummary& plan) const {
    const std::string& submitter = context_.sessions().at(asked.peer).credentials.name;
    if (asked.exception != 0) {
        const auto tried = context_.state().exceptions.find(asked.exception);
        if (tried == context_.state().exceptions.end())
            return make_error(error_text("exception-closed"), std::to_string(asked.exception));
        DIVISI_ASSIGN(auto nodes,
                      nodes_with_files(context_.state(), context_.state().tasks.at(tried->second.task), plan));
        if (!nodes.empty()) return nodes;
    }
    return vacancies().place(plan, {submitter, {}, context_.now(), plan.most_seconds});
}

/// Checks that the cluster meets the task's requirements on the queue and on nodes.
Result<void> TaskQueue::check_placement(const PlanSummary& plan) const {
    const ClusterState& state = context_.state();
    if (plan.priority != 0 && state.queue.discipline == Discipline::fcfs)
        return make_error(error_text("queue-without-priorities"), "[task] priority");
    DIVISI_TRY(check_wish(state, plan.wish));
    std::vector<std::string> named = plan.stage_nodes;
    named.push_back(plan.data_node);
    for (const std::string& name : named) {
        const auto node = state.nodes.find(NodeId(name));
        if (node == state.nodes.end() || may_run_on(state, plan.wish, node->second.info)) continue;
        return make_error(error_text("node-barred-by-task"), "[place]", {name});
    }
    return {};
}

/// Checks that the parent version exists. A failed task still has the weights from which it started, even if their
/// version was dropped.
Result<void> TaskQueue::check_parent(const PlanSummary& plan, std::uint64_t exception) const {
    if (plan.parent == 0 || exception != 0 || context_.state().versions.contains(plan.parent)) return {};
    return make_error(error_text("parent-version-unknown"), "[model] from", {std::to_string(plan.parent)});
}

void TaskQueue::plan_again(const TaskView& task) {
    if (context_.jobs().planning(task.id)) return;
    auto submission = std::make_shared<SubmitTask>();
    submission->text = task.text;
    submission->files = task.files;
    submission->skeleton = models_.of(task.id);
    const std::size_t all = context_.limits().queued_tasks + 1;
    // If the limit of jobs is reached, the task is planned later.
    (void)context_.begin({PeerId(), 0, nullptr, task.id}, Planning{std::move(submission)}, {all, all});
}

void TaskQueue::planned_again(const TaskId& id, const Result<PlanSummary>& planned) {
    const auto task = context_.state().tasks.find(id);
    // Ignore the plan if the task was stopped while it was planned.
    if (task == context_.state().tasks.end() || task->second.phase != TaskPhase::queued) return;
    if (!planned) return context_.append(TaskEnded{id, Outcome::failed, planned.error()});
    PlanSummary plan = *planned;
    name_units(plan, id);
    plans_[id] = std::move(plan);
    changed_ = true;
}

std::vector<TaskQueue::Start> TaskQueue::admit() {
    changed_ = false;
    waiting_for_.clear();
    waiting_on_.clear();
    std::vector<Start> starts;
    Vacancies free = vacancies();
    full_ = free.full();
    waits_for_memory_.clear();
    if (full_) return starts;  // no node has room; return before the queue is sorted
    FairShareOrder order(context_.state(), context_.now());
    while (const TaskView* task = free.full() ? nullptr : order.next()) {
        const auto plan = plans_.find(task->id);
        if (plan == plans_.end()) {  // the tasks behind this task in the queue wait for its plan
            plan_again(*task);
            break;
        }
        const PlacementRequest request{task->submitter, task->id, context_.now(), plan->second.most_seconds};
        const auto nodes = place(*task, plan->second, free, request);
        if (!nodes) {  // a required node is away, so the task waits
            waiting_for_[task->id] = nodes.error().what;
            continue;
        }
        std::string advised = spared(*nodes, *task, plan->second, free, request);
        auto obstacle = free.obstacle(*nodes, plan->second, request);
        // A reservation may block the task for days, so no nodes are kept free for it.
        if (!obstacle || free.blocking_reservation(*nodes, request) == nullptr) {
            free.take(*nodes, plan->second);
            order.give(*task, std::set<NodeId>(nodes->begin(), nodes->end()).size());
        }
        if (!obstacle) {
            starts.push_back({task->id, plans_.extract(plan).mapped(), *nodes, std::move(advised)});
            continue;
        }
        waiting_for_[task->id] = std::move(*obstacle);
        waiting_on_[task->id] = {*nodes, request.most_seconds};
    }
    if (free.waits_for_memory()) waits_for_memory_ = reports_;
    return starts;
}

void TaskQueue::reported(const NodeId& node, const HostReport& report) {
    const auto found = context_.state().nodes.find(node);
    if (found == context_.state().nodes.end()) return;
    const std::string& host = found->second.info.host;
    const auto then = waits_for_memory_.find(host);
    changed_ |= then != waits_for_memory_.end() && report.memory_free >= then->second.memory_free + worth_a_look;
    // A load that is not a number would make every sum invalid.
    const double load = std::isfinite(report.load) ? std::clamp(report.load, 0.0, most_load) : 0;
    reports_[host] = {load, report.memory_free};
}

Vacancies TaskQueue::vacancies() const { return {context_.state(), use()}; }

NodeUse TaskQueue::use() const {
    NodeUse use = use_of(context_.state());
    use.reports = reports_;
    use.advised = advised_;
    return use;
}

void TaskQueue::advise(std::map<NodeId, NodeAdvice> nodes) {
    for (const auto& [node, advice] : advised_) {
        const auto now = nodes.find(node);
        changed_ |= advice.drain && (now == nodes.end() || !now->second.drain);
    }
    advised_ = std::move(nodes);
}

bool TaskQueue::anybody_waits() const {
    return std::ranges::any_of(context_.state().tasks, [](const auto& entry) {
        const TaskView& task = entry.second;
        return task.phase == TaskPhase::queued && task.queue == QueueState::nodes && !task.held;
    });
}

/// Returns the nodes that this placement avoids because of advice; empty if the advice has no effect.
std::string TaskQueue::spared(const std::vector<NodeId>& nodes, const TaskView& task, const PlanSummary& plan,
                              Vacancies free, const PlacementRequest& request) const {
    if (advised_.empty()) return "";
    free.ignore_advice();
    const auto otherwise = place(task, plan, free, request);
    std::string text;
    if (otherwise)
        for (const NodeId& node : std::set<NodeId>(otherwise->begin(), otherwise->end()))
            if (const auto advice = advised_.find(node);
                advice != advised_.end() && std::ranges::find(nodes, node) == nodes.end())
                text += (text.empty() ? "" : ", ") + node.value() + " (module " + advice->second.module + ")";
    return text;
}

/// Returns the nodes with the task's files if all of these nodes are present, otherwise nodes with enough room for the
/// plan.
Result<std::vector<NodeId>> TaskQueue::place(const TaskView& task, const PlanSummary& plan, const Vacancies& free,
                                             const PlacementRequest& request) const {
    if (task.nodes.empty()) {
        std::vector<NodeId> nodes = place_with_group(task, plan, free, request);
        return nodes.empty() ? free.place(plan, request) : std::move(nodes);
    }
    for (const NodeId& node : task.nodes) {
        const auto found = context_.state().nodes.find(node);
        if (found == context_.state().nodes.end() || found->second.state != NodeState::ready)
            return make_error(error_text("node-with-files-away"), node.value());
    }
    return task.nodes;
}

/// Returns free nodes whose kept processes already have the group's model. Returns an empty list if there are no such
/// nodes, or if the task or a module demands other nodes.
std::vector<NodeId> TaskQueue::place_with_group(const TaskView& task, const PlanSummary& plan, Vacancies free,
                                                const PlacementRequest& request) const {
    if (!plan.stage_nodes.empty() || !plan.wish.prefer.empty()) return {};
    std::vector<NodeId> nodes = kept_.nodes_for(task, plan.stages, plan.data_apart());
    const bool bound = !plan.data_node.empty() && !nodes.empty() && nodes.back().value() != plan.data_node;
    const bool barred = std::ranges::any_of(nodes, [&](const NodeId& node) {
        const auto found = context_.state().nodes.find(node);
        return found == context_.state().nodes.end() || !may_run_on(context_.state(), plan.wish, found->second.info) ||
               advised_.contains(node);
    });
    return nodes.empty() || bound || barred || free.obstacle(nodes, plan, request) ? std::vector<NodeId>() : nodes;
}

/// Returns "; one group with score-1" for a batch that can use the processes of other batches.
std::string TaskQueue::in_group(const TaskView& task) const {
    const std::string text = group_text(context_.state(), task);
    return text.empty() ? text : "; " + text;
}

/// Returns for example "; free in at most 95 s", if it is known when the nodes that the task waits for become free.
std::string TaskQueue::until(const TaskView& task) const {
    const auto waits = waiting_on_.find(task.id);
    if (waits == waiting_on_.end()) return {};
    const auto& [nodes, most_seconds] = waits->second;
    const auto free = free_at_latest(context_.state(), nodes, {task.submitter, task.id, context_.now(), most_seconds});
    if (!free || *free <= context_.now()) return {};
    return "; free in at most " +
           std::to_string(std::chrono::ceil<std::chrono::seconds>(*free - context_.now()).count()) + " s";
}

void TaskQueue::handle(const Received& received, const QueryNodes&) {
    const ClusterState& state = context_.state();
    NodesState answer;
    const Vacancies now = vacancies();
    for (const auto& [id, node] : state.nodes) {
        NodeStanding standing{id};
        standing.faults = fault_score(node.faults, context_.now());
        answer.nodes.push_back(now.standing(id).value_or(standing));
        answer.nodes.back().faults = standing.faults;
        if (const auto told = context_.machines().find(id); told != context_.machines().end())
            answer.nodes.back().machine = told->second;
    }
    const auto times = virtual_times(state, context_.now());
    for (const auto& [name, submitter] : state.submitters) {
        const double weight = state.queue.weight_of(name);
        const auto time = times.find(name);
        const double ahead = time == times.end() ? 0 : time->second - submitter.virtual_time;
        answer.submitters.push_back(
            {name, weight, submitter.node_seconds + ahead * weight, submitter.virtual_time + ahead});
    }
    const bool any_ready = std::any_of(state.nodes.begin(), state.nodes.end(),
                                       [](const auto& node) { return node.second.state == NodeState::ready; });
    FairShareOrder order(state, context_.now());
    while (const TaskView* task = order.next()) {
        const auto why = waiting_for_.find(task->id);
        const char* otherwise = !any_ready ? "no node is ready" : full_ ? "every node is in use" : "earlier tasks";
        answer.waiting.push_back({task->id, (why == waiting_for_.end() ? std::string(otherwise) : why->second) +
                                                until(*task) + in_group(*task)});
    }
    context_.answer(received, std::move(answer));
}

}  // namespace divisi::control::inline queue
