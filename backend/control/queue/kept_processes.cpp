// SPDX-License-Identifier: Apache-2.0
#include "backend/control/queue/kept_processes.h"

#include <algorithm>

#include "backend/control/protocol/batch_group.h"
#include "backend/control/protocol/node_messages.h"

namespace divisi::control::inline queue {

bool KeptProcesses::are_wanted(const TaskView& task) const {
    return !task.group.empty() && std::ranges::any_of(context_.state().tasks, [&](const auto& entry) {
        const TaskView& other = entry.second;
        return other.phase == TaskPhase::queued && other.queue == QueueState::nodes && !other.held &&
               are_grouped(task, other);
    });
}

bool KeptProcesses::keep(const InstanceView& instance) {
    const TaskView& task = context_.state().tasks.at(instance.task);
    if (!context_.tell(instance.node, StopInstance{instance.id, true})) return false;
    kept_.push_back({task.id, task.group, task.submitter, instance.id, instance.stage, instance.node});
    return true;
}

InstanceId KeptProcesses::take(const TaskView& task, std::int32_t stage, const NodeId& node) {
    if (task.group.empty()) return {};
    const auto found =
        std::ranges::find_if(kept_, [&](const Kept& one) { return one.node == node && one.fits(task, stage); });
    if (found == kept_.end()) return {};
    InstanceId instance = std::move(found->instance);
    kept_.erase(found);
    return instance;
}

std::vector<NodeId> KeptProcesses::nodes_for(const TaskView& task, std::int32_t stages, std::int32_t data_apart) const {
    std::vector<NodeId> nodes;
    if (task.group.empty() || data_apart > 1) return nodes;
    const auto add = [&](std::int32_t stage) {
        const auto found = std::ranges::find_if(kept_, [&](const Kept& one) { return one.fits(task, stage); });
        if (found != kept_.end()) nodes.push_back(found->node);
        return found != kept_.end();
    };
    for (std::int32_t stage = 0; stage < stages; ++stage)
        if (!add(stage)) return {};
    if (data_apart > 0 && !add(data_stage)) return {};
    return nodes;
}

void KeptProcesses::settle() {
    std::erase_if(kept_, [&](const Kept& one) {
        const auto task = context_.state().tasks.find(one.task);
        if (task != context_.state().tasks.end() && !task->second.over()) return false;
        (void)context_.tell(one.node, StopInstance{one.instance});  // a node that is away has already ended the process
        return true;
    });
}

void KeptProcesses::follow(const Event& event) {
    if (kept_.empty()) return;
    const auto forget = [&](const NodeId& node) {
        std::erase_if(kept_, [&](const Kept& one) { return one.node == node; });
    };
    if (const auto* ended = get_if<NodeEnded>(&event.body)) forget(ended->node);
    if (const auto* joined = get_if<NodeJoined>(&event.body)) forget(joined->node.id);
}

}  // namespace divisi::control::inline queue
