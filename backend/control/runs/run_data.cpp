// SPDX-License-Identifier: Apache-2.0
// Manages data instances that are dealt micro-batches. A running task can do without one, and gets new ones.
#include <algorithm>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/runs/runs.h"
#include "backend/control/state/drain_state.h"

namespace divisi::control::inline runs {
namespace {

bool is_dealt(const InstanceView* instance) { return instance->stage == dealt_stage; }
bool takes_part(const InstanceView* instance) { return !instance->exited && instance->state < InstanceState::finished; }

}  // namespace

/// Returns whether all instances were told to begin. Before that, the task needs its data instances as well as its
/// stages.
bool Runs::begun(const TaskId& task) const { return context_.state().tasks.at(task).phase > TaskPhase::registration; }

std::vector<const InstanceView*> Runs::needed(const TaskId& task) const {
    auto instances = instances_of(context_.state(), task);
    const bool spared = begun(task);
    std::erase_if(instances, [&](const auto* one) { return is_dealt(one) && (spared || !takes_part(one)); });
    return instances;
}

/// Returns the dealt instances that take part, or will.
std::vector<const InstanceView*> Runs::dealt(const TaskId& task) const {
    auto instances = instances_of(context_.state(), task);
    std::erase_if(instances, [](const auto* one) { return !is_dealt(one) || !takes_part(one); });
    return instances;
}

/// Drops a failed data instance if the task can continue without it, and returns whether it did. Its micro-batches are
/// dealt to other data instances. If there are none, the stages wait for the next process of its SID.
bool Runs::try_drop(const TaskId& task, const InstanceId& culprit, const Error& error) {
    const auto found = context_.state().instances.find(culprit);
    if (found == context_.state().instances.end() || !is_dealt(&found->second) || !begun(task)) return false;
    if (!takes_part(&found->second)) return true;  // already handled, or removed from the task
    const Sid sid = found->second.sid;
    Run& run = runs_.at(task);
    const std::size_t others = dealt(task).size() - 1;
    const auto refusal = charge_restart_budget(task, sid, error);
    if (refusal)
        context_.append(Noted{Severity::warning, "instance " + culprit.value(), task.value(),
                              "it is not started again: " + *refusal});
    if (refusal && others == 0 && run.data.vacant.empty()) return false;
    context_.append(InstanceChanged{culprit, InstanceState::failed, error.message()});
    leases_.finish(culprit, error.what);
    context_.append(
        Noted{Severity::warning, "instance " + culprit.value(), task.value(),
              (others == 0   ? "the task waits for a data instance: "
               : others == 1 ? "the task goes on with 1 other data instance: "
                             : "the task goes on with " + std::to_string(others) + " other data instances: ") +
                  error.message()});
    context_.sessions().give_up(culprit);
    context_.tell(culprit, EndInstance{culprit, "the task goes on without it"});
    run.loads.erase(culprit);
    run.suspect.erase(culprit);
    if (!refusal) run.data.vacant[sid] = {culprit, error.what, context_.lived() + context_.limits().away};
    fill_vacancies(task);
    tell_peers(task, true);  // peers must drop it before they meet its successor
    say_who_is_awaited();
    return true;
}

/// Warns if a MIC of the task has no gateway. Requests of stages and orders for data instances pass through it.
void Runs::tell_missing_gateways(const TaskId& task) const {
    if (dealt(task).empty()) return;
    std::set<MicId> without;
    for (const InstanceView* one : instances_of(context_.state(), task))
        if (!devices_.gateway(one->node)) without.insert(mic_of(one->node));
    for (const MicId& mic : without)
        context_.append(Noted{Severity::warning, "orchestrator", task.value(),
                              "data instances are dealt by the gateway of each MIC, and " +
                                  (mic.value().empty() ? "a node without a MIC" : mic.value()) +
                                  " has none: the task waits until a divisi-gateway is started for it"});
}

/// Introduces a data instance that joins a running task to its peers, and the peers to it.
void Runs::joins_later(const TaskId& task) { tell_peers(task, true); }

void Runs::begins_later(const InstanceId& instance) {
    context_.append(InstanceChanged{instance, InstanceState::running, ""});
    leases_.activate(instance);
    context_.tell(instance, begin(task_of(context_.state().instances.at(instance))));
    say_who_is_awaited();
}

void Runs::handle(const Received& received, const ScaleData& message) {
    const TaskId task = message.task;
    const auto refuse = [&](ErrorCode code, std::string what, std::string next) {
        context_.refuse(received, {code, std::move(what), task.value(), std::move(next)});
    };
    const auto found = context_.state().tasks.find(task);
    if (found == context_.state().tasks.end()) return context_.refuse(received, context_.no_such_task(task));
    if (!runs_.contains(task) || !begun(task) || found->second.ending)
        return refuse(ErrorCode::conflict, "the task does not train now",
                      "data instances come and go while it does: see 'divisictl tasks'");
    if (message.instances < 1 || message.instances > most_data_instances)
        return refuse(ErrorCode::invalid_input,
                      std::to_string(message.instances) + " data instances: from 1 to " +
                          std::to_string(most_data_instances) + " can be dealt",
                      "ask for another number");
    const auto instances = instances_of(context_.state(), task);
    if (std::ranges::none_of(instances, is_dealt))
        return refuse(ErrorCode::conflict, "its data are read by the instance of a stage, not by data instances",
                      "submit it with data.instances = 1 or more");
    const auto present = dealt(task);
    const auto wanted = static_cast<std::size_t>(message.instances);
    runs_.at(task).data.vacant.clear();  // the wanted number counts from now on
    std::vector<InstanceId> surplus;
    for (std::size_t i = wanted; i < present.size(); ++i) surplus.push_back(present[i]->id);
    const std::string by = context_.sessions().at(received.peer).credentials.name;
    for (const InstanceId& one : surplus) end_data(one, "taken out of the task by " + by);
    for (std::size_t i = present.size(); i < wanted; ++i) {
        const auto node = node_for_data(task);
        if (!node)
            return refuse(ErrorCode::unavailable, "no node that holds the task's data is there",
                          "bring back a node on which it has or had a data instance");
        add_data(task, *node);
    }
    say_who_is_awaited();
    context_.answer(received, Done{});
}

/// Returns the node with the fewest data instances of the task, among those that have or had one and so have the files.
/// Excludes drained nodes and `leaving`.
std::optional<NodeId> Runs::node_for_data(const TaskId& task, const NodeId& leaving) const {
    std::map<NodeId, std::size_t> count;
    for (const auto& [id, instance] : context_.state().instances)
        if (instance.task == task && is_dealt(&instance) && can_start_on(task, instance.node) &&
            !is_draining(context_.state(), instance.node) && instance.node != leaving)
            count[instance.node] += takes_part(&instance) ? 1 : 0;
    const auto fewest = std::ranges::min_element(count, {}, [](const auto& entry) { return entry.second; });
    if (fewest == count.end()) return std::nullopt;
    return fewest->first;
}

/// Starts a data instance under the lowest unused number.
void Runs::add_data(const TaskId& id, const NodeId& node) {
    std::set<Sid> taken;
    for (const InstanceView* one : dealt(id)) taken.insert(one->sid);
    const auto sid_of_number = [&](std::int32_t number) { return Sid(id.value() + "/data/" + std::to_string(number)); };
    std::int32_t number = 0;
    while (taken.contains(sid_of_number(number))) ++number;
    start_data(id, sid_of_number(number), node);
}

InstanceId Runs::start_data(const TaskId& id, const Sid& sid, const NodeId& node) {
    const TaskView& task = context_.state().tasks.at(id);
    const InstanceId instance = place(id, task.generation, sid, node, dealt_stage, task.threads);
    leases_.grant(instance, terms_on("cpu", task.threads));
    return instance;
}

void Runs::end_data(const InstanceId& instance, const std::string& reason) {
    context_.append(InstanceChanged{instance, InstanceState::stopped, reason});
    leases_.finish(instance, reason);
    context_.sessions().give_up(instance);
    context_.tell(instance, EndInstance{instance, reason});
    runs_.at(context_.state().instances.at(instance).task).loads.erase(instance);
}

}  // namespace divisi::control::inline runs
