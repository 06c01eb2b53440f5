// SPDX-License-Identifier: Apache-2.0
// What node agents and instances say to the orchestrator.
#include <algorithm>
#include <limits>

#include "backend/control/door.h"
#include "backend/control/orchestrator.h"

namespace divisi::control {

void Orchestrator::handle(const Received& received, const RegisterNode& message) {
    const NodeId& id = message.node.id;
    if (auto bound = peers_.bind_node(received.peer, message.node); !bound) return deny(received, bound.error());
    NodeInfo node = message.node;
    const auto stated = stated_nodes_.find(id);
    apply_stated(node, stated == stated_nodes_.end() ? StatedNode{} : stated->second);
    node.host = host_label(state_, node);
    append(NodeJoined{std::move(node)});
    answer(received, Done{});
    send_policy(received.peer);
    agree_on_instances(received.peer, id, message.instances);
    say_who_is_awaited();
}

void Orchestrator::handle(const Received& received, const NodeReport& message) {
    // A process that neither the node nor a connection knows is gone, whatever message was lost.
    const NodeId node = peers_.at(received.peer).node;
    memory_free_[node] = message.memory_free;
    for (const auto& [task, run] : std::map(runs_)) {
        for (const InstanceId& instance : run.instances) {
            const InstanceView& view = state_.instances.at(instance);
            const bool here = view.node == node && run.registered.contains(instance);
            const bool alive =
                std::find(message.instances.begin(), message.instances.end(), instance) != message.instances.end();
            if (here && !alive && !peer_of(instance) && run.ending) instance_gone(instance, "");
        }
    }
}

void Orchestrator::handle(const Received&, const InstanceExited& message) {
    TaskId task;
    Run* run = run_of(message.instance, &task);
    if (!run) return;
    std::string how = message.signal != 0 ? "killed by signal " + std::to_string(message.signal)
                                          : "exited with status " + std::to_string(message.code);
    if (!message.output.empty()) how += ": " + message.output;
    const bool expected = run->ending;
    if (!expected)
        fail(task, message.instance,
             {ErrorCode::failed, "the instance's process was " + how, message.instance.value(),
              "submit the task again; if it repeats, see 'divisictl logs'"});
    instance_gone(message.instance, expected && message.code == 0 && message.signal == 0 ? "" : how);
}

void Orchestrator::handle(const Received& received, const RegisterInstance& message) {
    const InstanceId& id = message.instance;
    TaskId task;
    Run* run = run_of(id, &task);
    const bool known = run && run->registered.contains(id) && !run->exited.contains(id);
    if (!run || (!known && (run->ending || message.state != InstanceState::starting)))
        return refuse(received, {ErrorCode::not_found, "no running task has this instance", id.value(),
                                 "end it; its task is over"});
    const InstanceView& view = state_.instances.at(id);
    const std::string& process = peers_.at(received.peer).process;
    if (known && (process.empty() || run->processes[id] != process))
        return deny(received, {ErrorCode::conflict, "this instance is registered already", id.value(),
                               "only one process may serve a SID in a generation"});
    if (auto bound = peers_.bind_instance(received.peer, message, view.node); !bound)
        return deny(received, bound.error());
    if (known) return resume(received, view, *run);
    run->processes[id] = process;
    run->registered[id] = {id, message.sid, view.stage, message.data_endpoint, message.data_key};
    append(InstanceChanged{id, InstanceState::registered, ""});
    deploy(received, view);
    if (run->registered.size() == run->instances.size()) all_registered(task, *run);
}

void Orchestrator::handle(const Received&, const InstancePrepared& message) {
    TaskId task;
    Run* run = run_of(message.instance, &task);
    if (!run || run->ending || run->prepared.contains(message.instance)) return;  // the last: said twice
    if (message.plan_hash != state_.tasks.at(task).plan_hash)
        return fail(task, message.instance,
                    {ErrorCode::conflict, "the instance compiled another plan", message.instance.value(),
                     "run the same version on every node"});
    run->prepared.insert(message.instance);
    run->eval_microbatches = std::max(run->eval_microbatches, message.eval_microbatches);
    append(InstanceChanged{message.instance, InstanceState::prepared, ""});
    if (run->prepared.size() == run->instances.size()) all_prepared(task, *run);
}

void Orchestrator::handle(const Received&, const StepReport& message) { step_done(message.task, message.record); }

void Orchestrator::handle(const Received&, const EvalReport& message) { evaluated(message.task, message.record); }

/// In the order in which they happened: an evaluation follows its step.
void Orchestrator::handle(const Received&, const MissedReports& message) {
    auto evaluation = message.evaluations.begin();
    const auto evaluations_before = [&](std::int64_t step) {
        for (; evaluation != message.evaluations.end() && evaluation->step < step; ++evaluation)
            evaluated(message.task, *evaluation);
    };
    for (const StepRecord& record : message.steps) {
        evaluations_before(record.step);
        step_done(message.task, record);
    }
    evaluations_before(std::numeric_limits<std::int64_t>::max());
}

void Orchestrator::step_done(const TaskId& id, const StepRecord& record) {
    const auto task = state_.tasks.find(id);
    if (task == state_.tasks.end() || !runs_.contains(id)) return;
    if (record.step <= task->second.step) return;  // said twice
    if (auto fits = check_heads(record.heads); !fits) return fail(id, {}, fits.error());
    append(StepDone{id, record});
}

void Orchestrator::evaluated(const TaskId& id, const EvalRecord& record) {
    const auto task = state_.tasks.find(id);
    if (task == state_.tasks.end() || !runs_.contains(id)) return;
    const auto& known = task->second.evaluations;
    if (!known.empty() && record.step <= known.back().step) return;  // said twice
    if (auto fits = check_heads(record.heads); !fits) return fail(id, {}, fits.error());
    append(Evaluated{id, record});
}

void Orchestrator::handle(const Received&, const LoadReport& message) {
    TaskId task;
    Run* run = run_of(message.load.instance, &task);
    if (!run) return;
    std::erase_if(loads_, [&](const InstanceLoad& load) { return load.instance == message.load.instance; });
    loads_.push_back(message.load);
    run->loads[message.load.instance] = message.load;
    look_for_stuck(task, *run, message.load);
    if (std::chrono::milliseconds(message.load.waits_ms) >= limits_.quiet || !run->awaited.empty())
        say_who_is_awaited();
    const bool all = run->loads.size() == run->instances.size();
    if (all && state_.tasks.at(task).phase == TaskPhase::exchange) append(PhaseChanged{task, TaskPhase::telemetry, ""});
}

/// An instance that beats but stays in one operation, whose inputs it has, is marked; it may still come out of it.
void Orchestrator::look_for_stuck(const TaskId& task, Run& run, const InstanceLoad& load) {
    if (state_.instances.at(load.instance).state != InstanceState::running) return;
    const bool stuck = std::chrono::milliseconds(load.operation_ms) >= limits_.suspect;
    if (stuck == run.suspect.contains(load.instance)) return;
    if (!stuck) {
        run.suspect.erase(load.instance);
        return append(InstanceChanged{load.instance, InstanceState::running, ""});
    }
    run.suspect.insert(load.instance);
    const std::string what =
        "suspect: in " + load.operation + " for " + std::to_string(load.operation_ms / 1000) + " s already";
    append(InstanceChanged{load.instance, InstanceState::running, what});
    append(Noted{Severity::warning, "instance " + load.instance.value(), task.value(),
                 what + "; stop the task if it does not come out of it"});
}

void Orchestrator::handle(const Received&, const InstanceFinished& message) {
    const InstanceId& instance = message.weights.instance;
    TaskId task;
    Run* run = run_of(instance, &task);
    if (!run || run->finished.contains(instance)) return;
    if (auto checked = check_weights(message.weights); !checked) return fail(task, instance, checked.error());
    run->finished.insert(instance);
    if (!message.weights.path.empty()) append(message.weights);
    append(InstanceChanged{instance, InstanceState::finished, ""});
    if (run->finished.size() == run->instances.size() && !run->ending) end_instances(task, *run, "all steps done");
}

void Orchestrator::handle(const Received&, const InstanceFailed& message) {
    TaskId task;
    if (run_of(message.instance, &task)) fail(task, message.instance, message.error);
}

void Orchestrator::lose_node(const NodeId& node, NodeState state, const std::string& reason) {
    peers_.give_up(node);
    append(NodeEnded{node, state, reason});
    if (probe_ && (probe_->from == node || probe_->to == node)) end_probe();
    for (const auto& [task, run] : std::map(runs_)) {
        for (const InstanceId& instance : run.instances) {
            if (state_.instances.at(instance).node != node || !runs_.contains(task)) continue;
            fail(task, instance,
                 {ErrorCode::unavailable, "node " + node.value() + (state == NodeState::left ? " left" : " was lost"),
                  instance.value(), "bring the node back or place the task on others, then submit it again"});
            instance_gone(instance, "its node was lost");
        }
    }
}

std::optional<PeerId> Orchestrator::peer_of(const NodeId& node) const { return peers_.of(node); }
std::optional<PeerId> Orchestrator::peer_of(const InstanceId& instance) const { return peers_.of(instance); }

Orchestrator::Run* Orchestrator::run_of(const InstanceId& instance, TaskId* task) {
    const auto view = state_.instances.find(instance);
    if (view == state_.instances.end()) return nullptr;
    const auto run = runs_.find(view->second.task);
    if (run == runs_.end()) return nullptr;
    if (task) *task = view->second.task;
    return &run->second;
}

}  // namespace divisi::control
