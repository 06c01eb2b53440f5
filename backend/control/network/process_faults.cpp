// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/process_faults.h"

#include <cmath>
#include <cstdio>

namespace divisi::control::inline network {
namespace {

/// Maximum number of SIDs named in a refusal, so that the line stays readable.
constexpr std::size_t most_named = 8;

Error is_away(const NodeId& node) {
    return {ErrorCode::unavailable, "the node is away, so that it cannot be told", node.value(),
            "wait until 'divisictl nodes' shows it as ready"};
}

}  // namespace

Error no_faults_here() {
    return {ErrorCode::denied, "this cluster takes no faults", "fault injection",
            "use the embedded cluster, or start divisid with --allow-faults"};
}

void ProcessFaults::handle(const Received& received, const KillInstance& message) {
    fault(received, message.sid, 0, "killed");
}

void ProcessFaults::handle(const Received& received, const PauseInstance& message) {
    const bool possible = std::isfinite(message.seconds) && message.seconds > 0 && message.seconds <= most_pause_s;
    if (allowed_ && !possible)
        return context_.refuse(received, {ErrorCode::invalid_input, "no process can be paused for so long",
                                          message.sid.value(), "give more than 0 s, and 60 s at most"});
    char time[32];
    std::snprintf(time, sizeof time, "paused for %.6g s", message.seconds);
    fault(received, message.sid, message.seconds, time);
}

void ProcessFaults::handle(const Received& received, const KillNode& message) {
    if (!allowed_) return context_.refuse(received, no_faults_here());
    const auto found = context_.state().nodes.find(message.node);
    if (found == context_.state().nodes.end()) {
        std::string names;
        for (const auto& [node, view] : context_.state().nodes) names += (names.empty() ? "" : ", ") + node.value();
        return context_.refuse(received, {ErrorCode::not_found, "there is no such node", message.node.value(),
                                          names.empty() ? "this cluster has none" : "there are " + names});
    }
    const Duration age = context_.now() - found->second.since;
    if (found->second.state == NodeState::ready && age >= Duration{} && age < least_node_age)
        return context_.refuse(received,
                               {ErrorCode::conflict, "the node has only just come", message.node.value(),
                                "kill it again in some seconds: who hosts it gives up a program that dies soon "
                                "after its start several times"});
    if (!context_.tell(message.node, KillDevice{})) return context_.refuse(received, is_away(message.node));
    note(received, TaskId(), "the node " + message.node.value() + " was killed");
    context_.answer(received, Done{});
}

/// Kills or pauses the instance that plays `sid`. `pause_s`: 0 kills it. `what`: the action as logged.
void ProcessFaults::fault(const Received& received, const Sid& sid, double pause_s, const std::string& what) {
    if (!allowed_) return context_.refuse(received, no_faults_here());
    const auto player = player_of(sid);
    if (!player) return context_.refuse(received, player.error());
    const InstanceView& instance = context_.state().instances.at(*player);
    if (!context_.tell(instance.node, FaultInstance{*player, pause_s}))
        return context_.refuse(received, is_away(instance.node));
    note(received, instance.task, "the instance " + player->value() + " was " + what);
    context_.answer(received, Done{});
}

/// Returns the instance with a live process that plays the SID.
Result<InstanceId> ProcessFaults::player_of(const Sid& sid) const {
    std::string others;
    std::size_t count = 0;
    for (const auto& [id, instance] : context_.state().instances) {
        const auto task = context_.state().tasks.find(instance.task);
        const bool runs = task != context_.state().tasks.end() && task->second.runs() && !instance.retired;
        if (instance.exited || !runs || !is_newest(context_.state(), id)) continue;
        if (instance.sid == sid) return id;
        if (++count <= most_named) others += (others.empty() ? "" : ", ") + instance.sid.value();
    }
    if (count > most_named) others += " and " + std::to_string(count - most_named) + " more";
    return Error{ErrorCode::not_found, "no process plays this SID now", sid.value(),
                 others.empty() ? "no task runs; start one first" : "these are played: " + others};
}

void ProcessFaults::note(const Received& received, const TaskId& task, const std::string& what) {
    context_.append(Noted{Severity::warning, "fault", task.value(),
                          what + " by " + context_.sessions().at(received.peer).credentials.name});
}

}  // namespace divisi::control::inline network
