// SPDX-License-Identifier: Apache-2.0
// Puts another plan in force for a training task. As in a recovery, all its instances are placed again and start after
// a checkpoint, but the stages are new.
#include <algorithm>
#include <utility>

#include "backend/control/runs/runs.h"

namespace divisi::control::inline runs {
namespace {

constexpr const char* recut_reason = "the task was re-cut";

/// Returns, by stage, the old instance on the same node whose process continues with it; null if none is left. Order of
/// preference:
/// 1. the only instance with the stage's operators, since they may be in memory unchanged,
/// 2. the instance with most of its operators,
/// 3. the instance with the same stage number,
/// 4. any.
std::vector<const InstanceView*> processes_for(const std::vector<StageOrigin>& origins,
                                               const std::vector<const InstanceView*>& before) {
    std::vector<const InstanceView*> processes(origins.size(), nullptr);
    std::set<InstanceId> taken;
    enum class Which { alone, most, same_number, any };
    const auto fits = [&](const InstanceView& one, std::size_t stage, Which which) {
        const StageOrigin& origin = origins[stage];
        if (one.stage < 0 || one.node != origin.node || one.exited) return false;
        const bool most = !origin.from.empty() && origin.from.front() == one.stage;
        switch (which) {
            case Which::alone: return most && origin.from.size() == 1;
            case Which::most: return most;
            case Which::same_number: return one.stage == static_cast<std::int32_t>(stage);
            case Which::any: return true;
        }
        return false;
    };
    for (const Which which : {Which::alone, Which::most, Which::same_number, Which::any})
        for (std::size_t stage = 0; stage < origins.size(); ++stage)
            for (const InstanceView* one : before) {
                if (processes[stage] || !fits(*one, stage, which) || !taken.insert(one->id).second) continue;
                processes[stage] = one;
            }
    return processes;
}

}  // namespace

std::vector<InstanceId> Runs::prepare_recut(const TaskId& id, const NextPlan& next) {
    std::vector<InstanceId> chosen;
    for (const InstanceView* one : processes_for(next.origins, instances_of(context_.state(), id)))
        chosen.push_back(one ? one->id : InstanceId());
    for (std::size_t stage = 0; stage < chosen.size(); ++stage) {
        if (!chosen[stage].value().empty()) continue;
        const NodeId& node = next.origins[stage].node;
        const InstanceView* standby = ready_standby_on(id, node, chosen);
        chosen[stage] = standby ? standby->id : start_for_recut(id, node, next);
    }
    return chosen;
}

void Runs::pause_steps(const TaskId& id) { runs_.at(id).stands = true; }

void Runs::give_up_recut(const TaskId& id) {
    const auto run = runs_.find(id);
    if (run == runs_.end()) return;
    if (std::exchange(run->second.stands, false))
        for (auto& [instance, load] : run->second.loads) load.waits_ms = 0;  // they stood still and continue
    for (const InstanceId& one : std::exchange(run->second.standbys.for_recut, {})) {
        const auto found = context_.state().instances.find(one);
        if (found != context_.state().instances.end() && stands_by(found->second))
            dismiss_standby(one, "the plan that it was started for did not take force");
    }
}

void Runs::recut(const TaskId& id, const NextPlan& next) {
    const TaskView& task = context_.state().tasks.at(id);
    const Generation generation = task.generation + 1;
    const std::string from = task.plan_hash;
    const auto before = instances_of(context_.state(), id);
    context_.append(planned(id, generation, next.plan));
    context_.append(TaskRecut{id, generation, next.step, from, next.plan.plan_hash, next.by, next.text, next.origins});
    const auto vacant = begin_again(runs_.at(id));
    std::set<InstanceId> kept;
    for (const InstanceView* one : before) {
        if (!is_placed_again(*one)) continue;
        const bool goes_on = one->stage < 0 || std::ranges::count(next.processes, one->id) > 0;
        if (leave(*one, goes_on ? one->node : NodeId(), {}, Fault::lost, recut_reason)) kept.insert(one->id);
    }
    const auto process = [&](const InstanceId& one, const Sid& sid) {
        if (kept.contains(one)) return one;
        const auto standby = context_.state().instances.find(one);
        const bool ready = standby != context_.state().instances.end() && stands_by(standby->second);
        return ready ? take_standby(one, sid) : InstanceId();
    };
    for (std::size_t i = 0; i < next.origins.size(); ++i) {
        const auto stage = static_cast<std::int32_t>(i);
        const Sid sid = sid_in(id, stage);
        const InstanceId instance = place(id, generation, sid, next.origins[i].node, stage, next.plan.threads,
                                          process(i < next.processes.size() ? next.processes[i] : InstanceId(), sid));
        leases_.grant(instance, terms_on(next.plan.device, next.plan.threads));
    }
    for (const InstanceView* one : before) {
        if (one->stage >= 0 || !is_placed_again(*one)) continue;
        leases_.grant_again(one->id, place(id, generation, one->sid, one->node, one->stage, next.plan.threads,
                                           process(one->id, one->sid)));
    }
    runs_.at(id).standbys.for_recut.clear();
    place_vacant(id, vacant);
}

}  // namespace divisi::control::inline runs
