// SPDX-License-Identifier: Apache-2.0
#include "backend/control/network/process_faults.h"

#include <cmath>
#include <cstdio>

#include "backend/control/protocol/fault_messages.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline network {
namespace {

/// Maximum number of SIDs named in a refusal, to keep the line readable.
constexpr std::size_t most_named = 8;

Error is_away(const NodeId& node) { return make_error(error_text("fault-node-away"), node.value()); }

}  // namespace

Error no_faults_here() { return make_error(error_text("no-fault-injection"), "fault injection"); }

void ProcessFaults::handle(const Received& received, const KillInstance& message) {
    fault(received, message.sid, 0, "killed");
}

void ProcessFaults::handle(const Received& received, const PauseInstance& message) {
    const bool possible = std::isfinite(message.seconds) && message.seconds > 0 && message.seconds <= most_pause_s;
    if (allowed_ && !possible)
        return context_.refuse(received, make_error(error_text("pause-out-of-range"), message.sid.value()));
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
        return context_.refuse(
            received, names.empty() ? make_error(error_text("fault-no-node-at-all"), message.node.value())
                                    : make_error(error_text("fault-node-unknown"), message.node.value(), {names}));
    }
    const Duration age = context_.now() - found->second.since;
    if (found->second.state == NodeState::ready && age >= Duration{} && age < least_node_age)
        return context_.refuse(received, make_error(error_text("node-too-young"), message.node.value()));
    if (!context_.tell(message.node, KillDevice{})) return context_.refuse(received, is_away(message.node));
    note(received, TaskId(), "the node " + message.node.value() + " was killed");
    context_.answer(received, Done{});
}

/// Kills or pauses the instance that serves `sid`. `pause_s`: 0 kills it. `what`: the action as text for the log.
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

/// Returns the instance that serves the SID and has a live process.
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
    return others.empty() ? make_error(error_text("no-task-to-fault"), sid.value())
                          : make_error(error_text("sid-not-played"), sid.value(), {others});
}

void ProcessFaults::note(const Received& received, const TaskId& task, const std::string& what) {
    context_.append(Noted{Severity::warning, "fault", task.value(),
                          what + " by " + context_.sessions().at(received.peer).credentials.name});
}

}  // namespace divisi::control::inline network
