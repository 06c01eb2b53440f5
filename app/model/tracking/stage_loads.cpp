// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/model/tracking/stage_loads.h"

#include <algorithm>

namespace divisi::model {

std::vector<std::string> stage_nodes(const control::ClusterState& cluster, const TaskId& task) {
    std::vector<std::string> nodes;
    for (const control::InstanceView* one : control::instances_of(cluster, task)) {
        if (one->stage < 0) continue;
        const auto stage = static_cast<std::size_t>(one->stage);
        nodes.resize(std::max(nodes.size(), stage + 1));
        nodes[stage] = one->node.value();
    }
    return nodes;
}

StageLoad stage_load(const client::ClusterData& cluster, const control::TaskView& task, std::int32_t stage) {
    StageLoad sum;
    for (const control::InstanceView* one : control::instances_of(cluster.state, task.id)) {
        const auto loads = cluster.loads.find(one->id);
        if (one->stage != stage || loads == cluster.loads.end()) continue;
        const control::InstanceLoad *first = nullptr, *last = nullptr;
        for (const client::LoadSample& sample : loads->second) {
            const control::InstanceLoad& load = sample.load;
            if (!is_of_plan(task, load.generation)) continue;
            sum.memory = std::max(sum.memory, load.parameters + load.gradients + load.optimizer + load.activations);
            // Ignore steps while caches fill, and after the last step.
            if (load.step <= warm_up_steps || load.step >= task.steps) continue;
            sum.busy_share += load.busy_share;
            sum.wait_share += load.wait_share;
            ++sum.samples;
            if (!first) first = &load;
            last = &load;
        }
        if (first && last->step > first->step)
            sum.sent += (last->bytes_sent - first->bytes_sent) / (last->step - first->step);
    }
    if (sum.samples == 0) return sum;
    sum.busy_share /= sum.samples;
    sum.wait_share /= sum.samples;
    return sum;
}

}  // namespace divisi::model
