// SPDX-License-Identifier: Apache-2.0
#include "backend/control/runs/data_instances.h"

#include <algorithm>
#include <utility>

#include "backend/control/protocol/input_limits.h"
#include "backend/control/protocol/instance_messages.h"
#include "backend/control/runs/task_instances.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline runs {

void DataInstances::follow(const Event& event) {
    if (const auto* ended = get_if<TaskEnded>(&event.body)) books_.erase(ended->task);
    const auto* ending = get_if<TaskEnding>(&event.body);
    if (const auto found = ending ? books_.find(ending->task) : books_.end(); found != books_.end()) found->second = {};
}

void DataInstances::adopt(const TaskId& task, TimePoint, const std::string&) {
    if (!has_begun(context_.state(), task) || context_.state().tasks.at(task).ending) return;
    for (const InstanceView* one : instances_of(context_.state(), task)) {
        if (!is_dealt(one)) continue;
        if (one->state == InstanceState::failed)
            books_.at(task).vacant[one->sid] = {one->id, one->detail, context_.lived() + context_.limits().away};
        else if (one->state < InstanceState::running && !one->exited) expect(*one);
    }
}

void DataInstances::started(const InstanceView& instance) {
    if (is_dealt(&instance) && has_begun(context_.state(), instance.task)) expect(instance);
}

void DataInstances::begin_generation(const TaskId& task) {
    Book& book = books_.at(task);
    auto vacant = std::exchange(book, {}).vacant;
    book.unplaced = std::move(vacant);
}

void DataInstances::generation_placed(const TaskId& task) {
    for (const auto& [sid, vacancy] : std::exchange(books_.at(task).unplaced, {})) {
        const NodeId last = context_.state().instances.at(vacancy.last).node;
        start(task, sid, node_for_replacement(task, vacancy.last).value_or(last));
    }
}

void DataInstances::node_joined(const NodeId& node) {
    for (auto& [task, book] : books_) book.unfit.erase(node);
}

bool DataInstances::handle_fault(const TaskId& task, const InstanceId& culprit, Error& error, Fault) {
    const auto found = context_.state().instances.find(culprit);
    if (found == context_.state().instances.end() || !is_dealt(&found->second)) return false;
    if (!has_begun(context_.state(), task)) return false;
    if (!takes_part(&found->second)) return true;  // already handled, or removed from the task
    const Sid sid = found->second.sid;
    Book& book = books_.at(task);
    const std::size_t others = dealt_instances(context_.state(), task).size() - 1;
    const auto refusal = charge_restart_budget(task, sid, error);
    if (refusal)
        context_.append(Noted{Severity::warning, "instance " + culprit.value(), task.value(),
                              "the data instance is not restarted: " + *refusal});
    if (refusal && others == 0 && book.vacant.empty()) return false;
    context_.append(InstanceChanged{culprit, InstanceState::failed, error.message()});
    leases_.finish(culprit, error.what);
    context_.append(
        Noted{Severity::warning, "instance " + culprit.value(), task.value(),
              (others == 0   ? "the task waits for a data instance: "
               : others == 1 ? "the task continues with 1 other data instance: "
                             : "the task continues with " + std::to_string(others) + " other data instances: ") +
                  error.message()});
    context_.sessions().give_up(culprit);
    context_.tell(culprit, EndInstance{culprit, "the task continues without this instance"});
    control_.forget_reports(culprit);
    if (!refusal) book.vacant[sid] = {culprit, error.what, context_.lived() + context_.limits().away};
    fill_vacancies(task);
    control_.tell_peers(task);  // peers must drop the instance before they learn of its successor
    control_.update_waits();
    return true;
}

void DataInstances::handle(const Received& received, const ScaleData& message) {
    const TaskId task = message.task;
    const auto refuse = [&](const ErrorText& text, std::vector<std::string> args = {}) {
        context_.refuse(received, make_error(text, task.value(), std::move(args)));
    };
    const auto found = context_.state().tasks.find(task);
    if (found == context_.state().tasks.end()) return context_.refuse(received, context_.no_such_task(task));
    if (!books_.contains(task) || !has_begun(context_.state(), task) || found->second.ending)
        return refuse(error_text("scaling-untrained-task"));
    if (message.instances < 1 || message.instances > most_data_instances)
        return refuse(error_text("data-instances-out-of-range"),
                      {std::to_string(message.instances), std::to_string(most_data_instances)});
    const auto instances = instances_of(context_.state(), task);
    if (std::ranges::none_of(instances, is_dealt)) return refuse(error_text("data-read-by-stage"));
    const auto present = dealt_instances(context_.state(), task);
    const auto wanted = static_cast<std::size_t>(message.instances);
    books_.at(task).vacant.clear();  // from now on, only the wanted number decides how many data instances start
    std::vector<InstanceId> surplus;
    for (std::size_t i = wanted; i < present.size(); ++i) surplus.push_back(present[i]->id);
    const std::string by = context_.sessions().at(received.peer).credentials.name;
    for (const InstanceId& one : surplus) end(one, "removed from the task by " + by);
    for (std::size_t i = present.size(); i < wanted; ++i) {
        const auto node = node_with_data(task);
        if (!node) return refuse(error_text("no-node-with-data"));
        add(task, *node);
    }
    control_.update_waits();
    context_.answer(received, Done{});
}

/// Starts a data instance under the lowest unused number.
void DataInstances::add(const TaskId& id, const NodeId& node) {
    std::set<Sid> taken;
    for (const InstanceView* one : dealt_instances(context_.state(), id)) taken.insert(one->sid);
    const auto sid_of_number = [&](std::int32_t number) { return Sid(id.value() + "/data/" + std::to_string(number)); };
    std::int32_t number = 0;
    while (taken.contains(sid_of_number(number))) ++number;
    start(id, sid_of_number(number), node);
}

InstanceId DataInstances::start(const TaskId& id, const Sid& sid, const NodeId& node) {
    const TaskView& task = context_.state().tasks.at(id);
    const InstanceId instance = control_.place({id, task.generation, sid, node, dealt_stage, task.threads});
    leases_.grant(instance, terms_on("cpu", task.threads));
    return instance;
}

void DataInstances::end(const InstanceId& instance, const std::string& reason) {
    context_.append(InstanceChanged{instance, InstanceState::stopped, reason});
    leases_.finish(instance, reason);
    context_.sessions().give_up(instance);
    context_.tell(instance, EndInstance{instance, reason});
    control_.forget_reports(instance);
}

}  // namespace divisi::control::inline runs
