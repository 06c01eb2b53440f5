// SPDX-License-Identifier: Apache-2.0
// Connections that come, break and come back: who is waited for, and how both sides agree again on what runs.
#include <algorithm>

#include "backend/control/orchestrator.h"

namespace divisi::control {

void Orchestrator::on(const PeerConnected& input) { peers_.open(input.peer, input.credentials); }

void Orchestrator::on(const PeerGone& input) { forget(input.peer, NodeState::away, input.why); }

void Orchestrator::on(const PeerEnded& input) {
    std::vector<NodeId> ended;
    for (const auto& [node, away] : peers_.nodes_away())
        if (away.peer == input.peer) ended.push_back(node);
    for (const NodeId& node : ended) lose_node(node, NodeState::lost, "its process ended");
    client_gone(input.peer, false);
}

/// `state`: what becomes of a node that had this connection.
void Orchestrator::forget(PeerId peer, NodeState state, const std::string& why) {
    const auto gone = peers_.close(peer);
    open_snapshots_.erase(peer);
    if (!gone) return;
    client_gone(peer, state == NodeState::away);
    if (!gone->key.empty()) send_policy();
    if (!gone->node.value().empty()) {
        if (state == NodeState::away) wait_for(gone->node, peer, why);
        else lose_node(gone->node, state, why);
    }
    if (!gone->instance.value().empty()) wait_for(gone->instance, peer, why);
}

void Orchestrator::close(PeerId peer, const Error& why) {
    send(peer, Refused{why});
    output_.closes.push_back(peer);
    forget(peer, NodeState::lost, why.what);
}

/// Whoever says hello anew has given its old connection up, which may not have been noticed here.
void Orchestrator::supersede(PeerId peer) {
    if (const auto old = peers_.superseded_by(peer)) {
        output_.closes.push_back(*old);
        forget(*old, NodeState::away, "it came back over a new connection");
    }
    client_back(peer);
}

void Orchestrator::wait_for(const NodeId& node, PeerId peer, const std::string& why) {
    peers_.wait_for(node, {peer, lived_ + limits_.away, why});
    append(NodeEnded{node, NodeState::away, why});
    if (probe_ && (probe_->from == node || probe_->to == node)) end_probe();
    say_who_is_awaited();
}

/// A process that has ended is explained by its node in a moment, with its status and its last words.
void Orchestrator::wait_for(const InstanceId& instance, PeerId peer, const std::string& why) {
    const Run* run = run_of(instance);
    if (!run || run->ending || run->exited.contains(instance)) return;
    peers_.wait_for(instance, {peer, lived_ + limits_.away, why});
    append(InstanceChanged{instance, state_.instances.at(instance).state, "away: " + why});
    say_who_is_awaited();
}

/// Who has not come back in time.
void Orchestrator::check_away() {
    const std::string late =
        ", and it was not back within " + std::to_string(limits_.away / std::chrono::seconds(1)) + " s";
    for (const auto& [node, away] : std::map(peers_.nodes_away()))
        if (lived_ >= away.until) lose_node(node, NodeState::lost, away.why + late);
    std::vector<TaskId> undelivered;
    for (const auto& [task, delivery] : deliveries_)
        if (!delivery.done && delivery.awaited && lived_ >= *delivery.awaited) undelivered.push_back(task);
    for (const TaskId& task : undelivered) fail_delivery(task);
    for (const auto& [instance, away] : std::map(peers_.instances_away())) {
        if (lived_ < away.until) continue;
        peers_.give_up(instance);
        TaskId task;
        if (run_of(instance, &task))
            fail(task, instance,
                 {ErrorCode::unavailable, "the instance is away (" + away.why + late + ")", instance.value(),
                  "see the log of its node, then submit the task again"});
    }
}

/// A task whose nodes or instances are away says so, and for whom it waits; it goes on by itself.
void Orchestrator::say_who_is_awaited() {
    for (auto& [task, run] : runs_) {
        if (run.ending) continue;
        std::set<std::string> awaited;
        for (const InstanceId& instance : run.instances) {
            const NodeId& node = state_.instances.at(instance).node;
            if (const auto away = peers_.nodes_away().find(node); away != peers_.nodes_away().end())
                awaited.insert("node " + node.value() + " (" + away->second.why + ")");
            else if (const auto away_too = peers_.instances_away().find(instance);
                     away_too != peers_.instances_away().end())
                awaited.insert("instance " + instance.value() + " (" + away_too->second.why + ")");
        }
        // Whoever waits for one that computes has nothing to complain of. Between two that wait for each other nothing
        // gets through.
        for (const auto& [id, load] : run.loads) {
            if (std::chrono::milliseconds(load.waits_ms) < limits_.quiet) continue;
            for (const InstanceId& other : load.waits_for) {
                const auto its = run.loads.find(other);
                if (its != run.loads.end() && its->second.operation.empty() && !peers_.instances_away().contains(other))
                    awaited.insert("instance " + other.value() + " (nothing of it reaches " + id.value() + ")");
            }
        }
        std::string text;
        for (const std::string& one : awaited) text += (text.empty() ? "waits for " : ", ") + one;
        if (text == run.awaited) continue;
        run.awaited = text;
        append(PhaseChanged{task, state_.tasks.at(task).phase, text});
    }
}

/// After a node registered: what runs there of no living task is to end, what should run there and does not has ended
/// unseen, and what was never heard of was never asked for.
void Orchestrator::agree_on_instances(PeerId peer, const NodeId& node, const std::vector<InstanceId>& running) {
    for (const InstanceId& instance : running) {
        const Run* run = run_of(instance);
        const bool ours = run && state_.instances.at(instance).node == node && !run->exited.contains(instance);
        if (!ours || run->killing) send(peer, StopInstance{instance});
    }
    std::vector<std::pair<TaskId, InstanceId>> missing;
    for (const auto& [task, run] : runs_)
        for (const InstanceId& instance : run.instances)
            if (state_.instances.at(instance).node == node && !run.exited.contains(instance) &&
                std::find(running.begin(), running.end(), instance) == running.end())
                missing.emplace_back(task, instance);
    for (const auto& [task, instance] : missing) {
        const auto run = runs_.find(task);
        if (run == runs_.end()) continue;
        if (!run->second.ending && !run->second.registered.contains(instance)) {
            send(peer, StartInstance{task, instance, Sid(instance.value()), run->second.threads});
            continue;
        }
        fail(task, instance,
             {ErrorCode::failed, "the instance's process ended while its node was away", instance.value(),
              "see the log of its node, then submit the task again"});
        instance_gone(instance, "it ended while its node was away");
    }
}

/// To an instance that is back: which of its reports arrived, and what it may have missed.
void Orchestrator::resume(const Received& received, const InstanceView& instance, Run& run) {
    const TaskView& task = state_.tasks.at(instance.task);
    const std::int64_t evaluation = task.evaluations.empty() ? 0 : task.evaluations.back().step;
    if (std::get<RegisterInstance>(received.message).state == InstanceState::starting) deploy(received, instance);
    else answer(received, ResumeInstance{task.id, task.generation, task.step, evaluation});
    append(InstanceChanged{instance.id, instance.state, ""});
    if (run.registered.size() == run.instances.size()) send(received.peer, peers_message(task, run));
    if (run.prepared.size() == run.instances.size())
        send(received.peer, Begin{task.id, task.generation, run.eval_microbatches});
    if (run.ending) send(received.peer, EndInstance{"its task is ending"});
    say_who_is_awaited();
}

/// Refuses what its sender has no right to, and says so in the log, a few lines however often it is tried.
void Orchestrator::deny(const Received& received, Error error) {
    const Session& peer = peers_.at(received.peer);
    const std::string who = peer.credentials.name + " (" + (peer.role ? to_string(*peer.role) : "no role") + ")";
    log_denial(peer, std::string("denied: ") + kind_name(received.message) + " from " + who + ": " + error.what);
    refuse(received, std::move(error));
}

void Orchestrator::log_denial(const Session& peer, const std::string& what) {
    if (const auto line = denials_[peer.credentials.name].pass(what, now_))
        append(Noted{Severity::warning, "orchestrator", "", *line});
}

}  // namespace divisi::control
