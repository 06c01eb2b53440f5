// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/task_instances.h"

#include <algorithm>

#include "backend/task/data_files.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"

namespace divisi::control::inline runs {

Sid sid_in(const TaskId& task, std::int32_t stage, std::size_t replica) {
    return Sid(task.value() + "/" + (stage < 0 ? "data" : "stage-" + std::to_string(stage)) + "/" +
               std::to_string(replica));
}

TaskPlanned planned_as(const ClusterState& state, const TaskId& task, Generation generation, const PlanSummary& plan) {
    std::vector<UnitView> units;
    for (const PlannedUnit& planned : plan.units) {
        UnitView unit = planned.unit;
        unit.instance = next_instance(state, sid_in(task, planned.stage));
        units.push_back(std::move(unit));
    }
    return {task,           generation,       plan.cuts,    plan.steps,  plan.batch,          plan.model,
            plan.plan_hash, std::move(units), plan.threads, plan.memory, plan.wish.exclusive, plan.most_seconds,
            plan.group,     plan.checkpoint,  plan.answer};
}

bool has_begun(const ClusterState& state, const TaskId& task) {
    return state.tasks.at(task).phase > TaskPhase::registration;
}

bool is_in_force(const ClusterState& state, const TaskId& task, Generation generation) {
    return state.tasks.at(task).generation == generation;
}

bool is_current(const ClusterState& state, const InstanceId& instance) {
    const auto view = state.instances.find(instance);
    return view != state.instances.end() && !view->second.retired && is_newest(state, instance);
}

bool is_dealt(const InstanceView* instance) { return instance->stage == dealt_stage; }
bool takes_part(const InstanceView* instance) { return !instance->exited && instance->state < InstanceState::finished; }

std::vector<const InstanceView*> needed_instances(const ClusterState& state, const TaskId& task) {
    auto instances = instances_of(state, task);
    const bool spared = has_begun(state, task);
    std::erase_if(instances, [&](const auto* one) { return is_dealt(one) && (spared || !takes_part(one)); });
    return instances;
}

std::vector<const InstanceView*> dealt_instances(const ClusterState& state, const TaskId& task) {
    auto instances = instances_of(state, task);
    std::erase_if(instances, [](const auto* one) { return !is_dealt(one) || !takes_part(one); });
    return instances;
}

std::vector<const InstanceView*> processes_of(const ClusterState& state, const TaskId& task) {
    auto all = instances_of(state, task);
    const auto standbys = standbys_of(state, task);
    all.insert(all.end(), standbys.begin(), standbys.end());
    return all;
}

bool is_placed_again(const InstanceView& instance) { return !is_dealt(&instance) || takes_part(&instance); }

bool is_bound(const ClusterState& state, const InstanceView& instance) {
    const TaskView& task = state.tasks.at(instance.task);
    const auto spec = task::parse_task(task.text, task.id.value());
    if (!spec) return true;
    const auto is_brought = [](const FileRef& file) { return !file.hash.empty(); };
    const auto is_local = [](const task::DataFile& file) { return file.path.starts_with(task::node_prefix); };
    if (std::ranges::any_of(task.files, is_brought)) return true;
    const auto together = instances_of(state, task.id);
    const bool data_apart = std::ranges::any_of(together, [](const auto* one) { return one->stage < 0; });
    const bool reads = data_apart ? instance.stage < 0 : instance.stage == 0;
    return reads && std::ranges::any_of(task::data_files(spec->data, spec->batch.labels), is_local);
}

bool is_alike(const ClusterState& state, const NodeId& own, const NodeId& other) {
    const auto a = state.nodes.find(own), b = state.nodes.find(other);
    if (a == state.nodes.end() || b == state.nodes.end()) return false;
    const NodeInfo &here = a->second.info, &there = b->second.info;
    return here.fingerprint == there.fingerprint && here.mic == there.mic && (there.secure || !here.secure);
}

}  // namespace divisi::control::inline runs
