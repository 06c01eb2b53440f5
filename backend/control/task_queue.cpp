// SPDX-License-Identifier: Apache-2.0
#include "backend/control/task_queue.h"

#include <algorithm>
#include <set>

#include "backend/control/door.h"

namespace divisi::control {
namespace {

/// Whether a queued task that had to wait might start after this.
bool concerns_queue(const Event::Body& body) {
    if (const auto* queued = std::get_if<TaskQueued>(&body)) return queued->state == QueueState::nodes;
    return std::holds_alternative<NodeJoined>(body) || std::holds_alternative<NodeEnded>(body) ||
           std::holds_alternative<TaskEnded>(body) || std::holds_alternative<TaskHeld>(body) ||
           std::holds_alternative<ClusterStarted>(body);
}

}  // namespace

void TaskQueue::follow(const Event& event) {
    changed_ |= concerns_queue(event.body);
    if (const auto* ended = std::get_if<TaskEnded>(&event.body)) plans_.erase(ended->task);
}

void TaskQueue::handle(const Received& received, const SubmitTask& message) {
    if (auto fits = check_submission(message); !fits) return desk_.refuse(received, fits.error());
    const std::size_t most = desk_.limits().queued_tasks;
    if (auto room = check_queue(desk_.state(), message, desk_.jobs().count<Planning>(), most); !room)
        return desk_.refuse(received, room.error());
    auto submission = std::make_shared<const SubmitTask>(message);
    const auto begun =
        desk_.begin({received.peer, received.correlation, submission}, Planning{submission}, JobLimit{most, most});
    if (!begun) desk_.refuse(received, begun.error());
}

void TaskQueue::handle(const Received& received, const ReleaseTask& message) {
    const auto found = desk_.state().tasks.find(message.task);
    if (found == desk_.state().tasks.end()) return desk_.refuse(received, desk_.no_such_task(message.task));
    if (!found->second.held)
        return desk_.refuse(received, {ErrorCode::conflict, "the task is not held", message.task.value(),
                                       "list them with 'divisictl tasks'"});
    desk_.append(TaskHeld{message.task, false});
    desk_.answer(received, Done{});
}

void TaskQueue::planned(const JobBook::Asked& asked, const Result<PlanSummary>& plan) {
    if (!asked.queued.value().empty()) return planned_again(asked.queued, plan);
    if (!desk_.sessions().contains(asked.peer)) return;  // a task that nobody was told of is not queued
    if (plan) submit(asked, *plan);
    else desk_.refuse({asked.peer, asked.correlation, {}}, plan.error());
}

void TaskQueue::submit(const JobBook::Asked& asked, PlanSummary plan) {
    const SubmitTask& message = *asked.submission;
    const Received received{asked.peer, asked.correlation, {}};
    const auto nodes = place_plan(desk_.state(), plan, node_use());
    if (!nodes) return desk_.refuse(received, nodes.error());
    auto wanted = deliveries_.uploads(asked.peer, plan, *nodes, message.files);
    if (!wanted) return desk_.refuse(received, wanted.error());

    const TaskId id = next_task_id(desk_.state(), plan.name);
    name_units(plan, id);
    TaskSubmitted submitted{id, plan.name,     message.text,         message.folder,
                            "", message.files, message.submitted_by, plan.priority};
    submitted.skeleton = Models::name_of(message.skeleton);
    const bool brings = !wanted->empty();
    if (has_brought_files(message.files)) submitted.nodes = *nodes;
    if (brings) submitted.client = client_name(desk_.sessions().at(asked.peer));
    TaskPlanned in_force{id, 1, plan.cuts, plan.steps, plan.batch, plan.model, plan.plan_hash, {}, plan.threads};
    for (const PlannedUnit& unit : plan.units) in_force.units.push_back(unit.unit);
    if (auto fits = check_task(submitted, in_force); !fits) return desk_.refuse(received, fits.error());
    if (!message.skeleton.empty()) models_.keep(id, message.skeleton);
    desk_.append(std::move(submitted));
    desk_.append(std::move(in_force));
    plans_[id] = std::move(plan);
    if (brings) deliveries_.begin(id, asked.peer);
    desk_.append(TaskQueued{id, brings ? QueueState::files : QueueState::nodes});
    desk_.answer(received, SubmitReply{id, std::move(*wanted)});
}

void TaskQueue::plan_again(const TaskView& task) {
    if (desk_.jobs().planning(task.id)) return;
    auto submission = std::make_shared<SubmitTask>();
    submission->text = task.text;
    submission->files = task.files;
    submission->skeleton = models_.of(task.id);
    const std::size_t all = desk_.limits().queued_tasks + 1;
    // Where there is no room for it now, it is asked for again.
    (void)desk_.begin({PeerId(), 0, nullptr, task.id}, Planning{std::move(submission)}, {all, all});
}

void TaskQueue::planned_again(const TaskId& id, const Result<PlanSummary>& planned) {
    const auto task = desk_.state().tasks.find(id);
    if (task == desk_.state().tasks.end() || task->second.phase != TaskPhase::queued) return;  // stopped meanwhile
    if (!planned) return desk_.append(TaskEnded{id, Outcome::failed, planned.error()});
    PlanSummary plan = *planned;
    name_units(plan, id);
    plans_[id] = std::move(plan);
    changed_ = true;
}

std::vector<const TaskView*> TaskQueue::in_turn() const {
    std::vector<const TaskView*> queue;
    for (const auto& [id, task] : desk_.state().tasks)
        if (task.phase == TaskPhase::queued && !task.held && task.queue == QueueState::nodes) queue.push_back(&task);
    std::sort(queue.begin(), queue.end(), [](const TaskView* a, const TaskView* b) {
        if (a->priority != b->priority) return a->priority > b->priority;
        return a->submitted_at < b->submitted_at;
    });
    return queue;
}

std::vector<TaskQueue::Start> TaskQueue::admit() {
    changed_ = false;
    std::vector<Start> starts;
    NodeUse use = node_use();
    std::set<NodeId> left;
    for (const auto& [id, node] : desk_.state().nodes)
        if (node.state == NodeState::ready) left.insert(id);
    for (const auto& [id, instance] : desk_.state().instances)
        if (desk_.state().tasks.at(instance.task).runs()) left.erase(instance.node);
    for (const TaskView* task : in_turn()) {
        if (left.empty()) break;
        const auto plan = plans_.find(task->id);
        if (plan == plans_.end()) {  // those behind it wait for it
            plan_again(*task);
            break;
        }
        const auto nodes = place(*task, plan->second, use);
        if (!nodes) continue;  // a node that it wants is away; it waits
        const std::set<NodeId> wanted(nodes->begin(), nodes->end());
        const bool free = std::all_of(wanted.begin(), wanted.end(), [&](const NodeId& n) { return left.contains(n); });
        for (const NodeId& node : wanted) {
            left.erase(node);
            ++use.tasks[node];
        }
        if (free) starts.push_back({task->id, plans_.extract(plan).mapped(), *nodes});
    }
    return starts;
}

NodeUse TaskQueue::node_use() const {
    const ClusterState& state = desk_.state();
    NodeUse use = use_of(state);
    use.memory_free = memory_free_;
    for (const auto& [id, instance] : state.instances) {
        const TaskView& task = state.tasks.at(instance.task);
        const auto node = state.nodes.find(instance.node);
        if (task.runs() && node != state.nodes.end()) use.threads[node->second.info.host] += task.threads - 1;
    }
    for (const auto& [id, task] : state.tasks)
        if (task.phase == TaskPhase::queued)
            for (const NodeId& node : std::set<NodeId>(task.nodes.begin(), task.nodes.end())) ++use.tasks[node];
    return use;
}

/// Where the task's files are, as long as all of these nodes are there; else where the plan fits.
Result<std::vector<NodeId>> TaskQueue::place(const TaskView& task, const PlanSummary& plan, const NodeUse& use) const {
    if (task.nodes.empty()) return place_plan(desk_.state(), plan, use);
    for (const NodeId& node : task.nodes) {
        const auto found = desk_.state().nodes.find(node);
        if (found == desk_.state().nodes.end() || found->second.state != NodeState::ready)
            return Error{ErrorCode::unavailable, "the node that holds the task's files is away", node.value(),
                         "bring it back, or stop the task and submit it again"};
    }
    return task.nodes;
}

}  // namespace divisi::control
