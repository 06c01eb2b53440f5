// SPDX-License-Identifier: Apache-2.0
// The queue and the life of a task: placement, registration, preparation, running, end.
#include <algorithm>

#include "backend/control/orchestrator.h"
#include "backend/control/placement.h"

namespace divisi::control {
namespace {

/// The instance of a stage; -1 is the data instance of its own.
std::string unit_name(std::int32_t stage) { return stage < 0 ? "data" : "stage-" + std::to_string(stage); }

}  // namespace

/// Highest priority first, then first come first served.
std::vector<const TaskView*> Orchestrator::queue() const {
    std::vector<const TaskView*> queue;
    for (const auto& [id, task] : state_.tasks)
        if (task.phase == TaskPhase::queued && !task.over() && !task.held && task.phase_detail != waiting_for_files)
            queue.push_back(&task);
    std::sort(queue.begin(), queue.end(), [](const TaskView* a, const TaskView* b) {
        if (a->priority != b->priority) return a->priority > b->priority;
        return a->submitted_at < b->submitted_at;
    });
    return queue;
}

/// Starts queued tasks in their order. A task starts when all of its nodes are free, so that either all of its
/// instances start or none does; the first that cannot start holds back those behind it only on the nodes that it
/// needs. Where no node is left, nobody further behind is looked at.
void Orchestrator::admit() {
    std::set<NodeId> left;
    for (const auto& [id, node] : state_.nodes)
        if (node.state == NodeState::ready) left.insert(id);
    for (const auto& [id, run] : runs_)
        for (const InstanceId& instance : run.instances) left.erase(state_.instances.at(instance).node);
    NodeUse use = node_use();
    for (const TaskView* task : queue()) {
        if (left.empty()) return;
        const auto plan = plans_.find(task->id);
        if (plan == plans_.end()) return plan_again(*task);  // those behind it wait for it
        const auto nodes = place(task->id, plan->second, use);
        if (!nodes) continue;  // a node that it wants is away; it waits
        const std::set<NodeId> wanted(nodes->begin(), nodes->end());
        const bool free = std::all_of(wanted.begin(), wanted.end(), [&](const NodeId& n) { return left.contains(n); });
        for (const NodeId& node : wanted) {
            left.erase(node);
            ++use.tasks[node];
        }
        if (free) start_task(task->id, plans_.extract(plan).mapped(), *nodes);
    }
}

/// What runs, and the queued tasks whose files bind them to nodes.
NodeUse Orchestrator::node_use() const {
    NodeUse use = use_of(state_);
    use.memory_free = memory_free_;
    for (const auto& [task, run] : runs_)
        for (const InstanceId& instance : run.instances)
            if (const auto node = state_.nodes.find(state_.instances.at(instance).node); node != state_.nodes.end())
                use.threads[node->second.info.host] += run.threads - 1;
    for (const auto& [task, delivery] : deliveries_)
        if (!runs_.contains(task))
            for (const NodeId& node : std::set<NodeId>(delivery.nodes.begin(), delivery.nodes.end())) ++use.tasks[node];
    return use;
}

void Orchestrator::start_task(const TaskId& task, const PlanSummary& plan, const std::vector<NodeId>& nodes) {
    Run run;
    run.threads = plan.threads;
    append(PhaseChanged{task, TaskPhase::registration, ""});
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::int32_t stage = static_cast<std::int32_t>(i) < plan.stages ? static_cast<std::int32_t>(i) : -1;
        const std::string name = task.value() + "/" + unit_name(stage) + "/0";
        const InstanceId instance(name);
        append(InstancePlaced{task, instance, Sid(name), nodes[i], stage});
        run.instances.push_back(instance);
        const auto peer = peer_of(nodes[i]);
        if (!peer) continue;  // lose_node() follows
        append(InstanceChanged{instance, InstanceState::starting, ""});
        send(*peer, StartInstance{task, instance, Sid(name), plan.threads});
    }
    std::vector<UnitView> units;
    for (const PlannedUnit& planned : plan.units) {
        UnitView unit = planned.unit;
        unit.instance = InstanceId(task.value() + "/" + unit_name(planned.stage) + "/0");
        units.push_back(std::move(unit));
    }
    append(TaskPlanned{task, 1, plan.cuts, plan.steps, plan.batch, plan.model, plan.plan_hash, std::move(units)});
    run.deadline = lived_ + limits_.registration;
    runs_[task] = std::move(run);
}

void Orchestrator::deploy(const Received& received, const InstanceView& instance) {
    const TaskView& task = state_.tasks.at(instance.task);
    const auto skeleton = skeletons_.find(task.id);
    Deploy deploy;
    deploy.task = task.id;
    deploy.generation = task.generation;
    deploy.instance = instance.id;
    deploy.stage = instance.stage;
    const auto& together = runs_[task.id].instances;
    const bool data_apart = std::any_of(together.begin(), together.end(),
                                        [&](const InstanceId& id) { return state_.instances.at(id).stage < 0; });
    deploy.data = data_apart ? instance.stage < 0 : instance.stage == 0;
    deploy.text = task.text;
    deploy.folder = task.folder;
    deploy.cuts = task.cuts;
    deploy.plan_hash = task.plan_hash;
    if (skeleton != skeletons_.end()) deploy.skeleton = skeleton->second;
    deploy.files = task.files;
    answer(received, std::move(deploy));
}

Peers Orchestrator::peers_message(const TaskView& task, const Run& run) {
    Peers peers{task.id, task.generation, {}};
    for (const InstanceId& instance : run.instances) peers.peers.push_back(run.registered.at(instance));
    return peers;
}

void Orchestrator::all_registered(const TaskId& task, Run& run) {
    const Peers peers = peers_message(state_.tasks.at(task), run);
    for (const InstanceId& instance : run.instances)
        if (const auto peer = peer_of(instance)) send(*peer, peers);
    run.deadline = lived_ + limits_.preparation;
}

void Orchestrator::all_prepared(const TaskId& task, Run& run) {
    run.deadline.reset();
    append(PhaseChanged{task, TaskPhase::exchange, ""});
    for (const InstanceId& instance : run.instances) {
        append(InstanceChanged{instance, InstanceState::running, ""});
        if (const auto peer = peer_of(instance))
            send(*peer, Begin{task, state_.tasks.at(task).generation, run.eval_microbatches});
    }
}

/// The first failure is the task's error; what follows from it (peers that miss each other) is not.
void Orchestrator::fail(const TaskId& task, const InstanceId& culprit, Error error) {
    const auto found = runs_.find(task);
    if (found == runs_.end() || found->second.ending) return;
    Run& run = found->second;
    if (!culprit.value().empty()) append(InstanceChanged{culprit, InstanceState::failed, error.message()});
    append(PhaseChanged{task, TaskPhase::exception, error.message()});
    run.outcome = Outcome::failed;
    run.error = std::move(error);
    end_instances(task, run, "another instance failed");
}

void Orchestrator::end_instances(const TaskId& task, Run& run, const std::string& reason) {
    run.ending = true;
    run.awaited.clear();
    for (const InstanceId& instance : run.instances) peers_.give_up(instance);
    append(PhaseChanged{task, TaskPhase::termination, reason});
    for (const InstanceId& instance : run.instances)
        if (const auto peer = peer_of(instance)) send(*peer, EndInstance{reason});
    run.deadline = lived_ + limits_.ending;
    finish_if_all_gone(task);
}

void Orchestrator::kill_instances(const TaskId& task, Run& run) {
    run.killing = true;
    run.deadline = lived_ + limits_.killing;
    for (const InstanceId& instance : run.instances) {
        if (run.exited.contains(instance)) continue;
        if (const auto node = peer_of(state_.instances.at(instance).node)) send(*node, StopInstance{instance});
        else instance_gone(instance, "its node is away");
        if (!runs_.contains(task)) return;
    }
}

void Orchestrator::instance_gone(const InstanceId& instance, const std::string& detail) {
    TaskId task;
    Run* run = run_of(instance, &task);
    if (!run || !run->exited.insert(instance).second) return;
    const InstanceState state = state_.instances.at(instance).state;
    if (state != InstanceState::failed) append(InstanceChanged{instance, InstanceState::stopped, detail});
    finish_if_all_gone(task);
}

void Orchestrator::finish_if_all_gone(const TaskId& task) {
    const auto found = runs_.find(task);
    if (found == runs_.end() || found->second.exited.size() < found->second.instances.size()) return;
    append(TaskEnded{task, found->second.outcome, found->second.error});
    runs_.erase(found);
}

void Orchestrator::check_deadlines() {
    check_away();

    std::vector<TaskId> due;
    for (const auto& [task, run] : runs_)
        if (run.deadline && lived_ >= *run.deadline) due.push_back(task);
    for (const TaskId& task : due) {
        Run& run = runs_.at(task);
        if (run.killing) {
            for (const InstanceId& instance : std::vector(run.instances)) {
                if (!runs_.contains(task)) break;
                instance_gone(instance, "its node gave no word of its end");
            }
        } else if (run.ending) {
            kill_instances(task, run);
        } else {
            const bool registering = run.registered.size() < run.instances.size();
            std::string missing;
            for (const InstanceId& instance : run.instances)
                if (registering ? !run.registered.contains(instance) : !run.prepared.contains(instance))
                    missing += (missing.empty() ? "" : ", ") + instance.value();
            fail(task, {},
                 {ErrorCode::deadline,
                  registering ? "instances did not register in time" : "instances were not prepared in time", missing,
                  "see 'divisictl logs' for what they said"});
        }
    }
}

}  // namespace divisi::control
