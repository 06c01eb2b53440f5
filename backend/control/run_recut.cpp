// SPDX-License-Identifier: Apache-2.0
// A task that trains goes on by another plan: as in a recovery all its instances are placed anew and begin after a
// checkpoint, but the stages are others.
#include <algorithm>

#include "backend/control/runs.h"

namespace divisi::control {
namespace {

constexpr const char* recut_reason = "the task was re-cut";

/// By stage, the instance of the old plan whose process goes on with it: one on the same node, first that of the same
/// number, which holds most of what it needs; null: a new process.
std::vector<const InstanceView*> processes_for(const std::vector<StageOrigin>& origins,
                                               const std::vector<const InstanceView*>& before) {
    std::vector<const InstanceView*> processes(origins.size(), nullptr);
    std::set<InstanceId> taken;
    const auto take = [&](std::size_t stage, bool same_number) {
        if (processes[stage]) return;
        for (const InstanceView* one : before) {
            const bool fits = one->stage >= 0 && one->node == origins[stage].node &&
                              (!same_number || one->stage == static_cast<std::int32_t>(stage));
            if (!fits || !taken.insert(one->id).second) continue;
            processes[stage] = one;
            return;
        }
    };
    for (const bool same_number : {true, false})
        for (std::size_t stage = 0; stage < origins.size(); ++stage) take(stage, same_number);
    return processes;
}

}  // namespace

void Runs::recut(const TaskId& id, const NextPlan& next) {
    const TaskView& task = desk_.state().tasks.at(id);
    const Generation generation = task.generation + 1;
    const std::string from = task.plan_hash;
    const auto before = instances_of(desk_.state(), id);
    const auto processes = processes_for(next.origins, before);
    desk_.append(planned(id, generation, next.plan));
    desk_.append(TaskRecut{id, generation, next.step, from, next.plan.plan_hash, next.by, next.text, next.origins});
    const auto vacant = begin_again(runs_.at(id));
    std::set<InstanceId> kept;
    for (const InstanceView* one : before) {
        if (!is_placed_again(*one)) continue;
        const bool goes_on = one->stage < 0 || std::ranges::count(processes, one) > 0;
        if (leave(*one, goes_on ? one->node : NodeId(), {}, Fault::lost, recut_reason)) kept.insert(one->id);
    }
    const auto process = [&](const InstanceView* one) {
        return one && kept.contains(one->id) ? one->id : InstanceId();
    };
    for (std::size_t i = 0; i < next.origins.size(); ++i) {
        const auto stage = static_cast<std::int32_t>(i);
        const InstanceId instance = place(id, generation, sid_in(id, stage), next.origins[i].node, stage,
                                          next.plan.threads, process(processes[i]));
        leases_.grant(instance, terms_on(next.plan.device, next.plan.threads));
    }
    for (const InstanceView* one : before) {
        if (one->stage >= 0 || !is_placed_again(*one)) continue;
        leases_.grant_again(one->id,
                            place(id, generation, one->sid, one->node, one->stage, next.plan.threads, process(one)));
    }
    place_vacant(id, vacant);
}

}  // namespace divisi::control
