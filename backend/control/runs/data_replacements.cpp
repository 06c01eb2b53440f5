// SPDX-License-Identifier: Apache-2.0
// Restarts data instances that die while their task trains, or that leave a drained node. Each replacement is started
// as a new incarnation of the same SID.
#include <algorithm>

#include "backend/control/placement/placement.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/runs/data_instances.h"
#include "backend/control/runs/task_instances.h"
#include "backend/control/state/data_place.h"
#include "backend/control/state/drain_state.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::control::inline runs {
namespace {

/// Returns whether a new process would fail in the same way, because the data or the plan is faulty.
bool happens_again(ErrorCode code) {
    return code == ErrorCode::invalid_input || code == ErrorCode::unsupported || code == ErrorCode::not_found ||
           code == ErrorCode::denied || code == ErrorCode::corrupt;
}

std::string lasting(Duration time) { return std::to_string(time / std::chrono::seconds(1)) + " s"; }

}  // namespace

/// Charges the restart budget of a data instance. Returns why a data instance gets no replacement; none if it gets one.
std::optional<std::string> DataInstances::charge_restart_budget(const TaskId& task, const Sid& sid,
                                                                const Error& error) {
    if (happens_again(error.code)) return "its error (" + error.what + ") would repeat in the next instance";
    RestartBudget& budget = books_.at(task).restarts.try_emplace(sid, data_restarts).first->second;
    if (budget.spent(context_.lived()))
        return "restarted " + std::to_string(data_restarts.most) + " times within " + lasting(data_restarts.window) +
               "; see the log of its node, then 'divisictl scale " + task.value() + " data=N'";
    budget.count(context_.lived());
    return std::nullopt;
}

/// Sets the deadline by which a data instance must register and open its data. The same time limits apply as before a
/// task begins.
void DataInstances::expect(const InstanceView& instance) {
    books_.at(instance.task).arriving[instance.id] =
        context_.lived() + context_.limits().registration + context_.limits().preparation;
}

void DataInstances::fill_vacancies(const TaskId& task) {
    Book& book = books_.at(task);
    for (auto next = book.vacant.begin(); next != book.vacant.end();) {
        const auto node = node_for_replacement(task, next->second.last);
        if (!node) {
            ++next;
            continue;
        }
        const Sid sid = next->first;
        const Vacancy vacancy = next->second;
        next = book.vacant.erase(next);
        const InstanceId instance = start(task, sid, *node);
        context_.append(Noted{Severity::info, "orchestrator", task.value(),
                              "data instance " + instance.value() + " is started on " + node->value() +
                                  " in place of " + vacancy.last.value() + ": " + vacancy.why});
    }
}

void DataInstances::give_up(const TaskId& task, const Sid& sid) {
    Book& book = books_.at(task);
    const Vacancy vacancy = book.vacant.at(sid);
    book.vacant.erase(sid);
    Error error = make_error(error_text("data-instance-not-replaced"), vacancy.last.value(),
                             {sid.value(), lasting(context_.limits().away), vacancy.why});
    context_.append(Noted{Severity::warning, "orchestrator", task.value(), error.what});
    if (dealt_instances(context_.state(), task).empty() && book.vacant.empty())
        control_.fail(task, {}, std::move(error), Fault::said);
}

void DataInstances::check_deadlines() {
    std::vector<TaskId> open;
    for (const auto& [id, book] : books_)
        if (is_open(id)) open.push_back(id);
    for (const TaskId& task : open) {
        fail_late(task);
        if (context_.state().tasks.at(task).ending) continue;
        fill_vacancies(task);
        std::vector<Sid> hopeless;
        for (const auto& [sid, vacancy] : books_.at(task).vacant)
            if (context_.lived() >= vacancy.until) hopeless.push_back(sid);
        for (const Sid& sid : hopeless) give_up(task, sid);
    }
    if (!open.empty()) control_.update_waits();
}

/// Returns whether the task waits for a data instance.
bool DataInstances::is_open(const TaskId& task) const {
    const Book& book = books_.at(task);
    return !context_.state().tasks.at(task).ending && !(book.vacant.empty() && book.arriving.empty());
}

/// Fails the data instances of a task that are not ready in time.
void DataInstances::fail_late(const TaskId& task) {
    auto& arriving = books_.at(task).arriving;
    std::vector<InstanceId> late;
    for (auto next = arriving.begin(); next != arriving.end();) {
        const InstanceView& one = context_.state().instances.at(next->first);
        const bool arrives = one.state < InstanceState::running && !one.exited && is_current(context_.state(), one.id);
        const bool is_late = arrives && context_.lived() >= next->second;
        if (is_late) late.push_back(one.id);
        next = arrives && !is_late ? std::next(next) : arriving.erase(next);
    }
    for (const InstanceId& id : late) {
        const NodeId node = context_.state().instances.at(id).node;
        control_.fail(task, id, make_error(error_text("data-instance-late"), id.value()), Fault::said);
        context_.tell(node, StopInstance{id});
    }
}

std::optional<TimePoint> DataInstances::next_deadline() const {
    std::optional<TimePoint> next;
    const auto earlier = [&](TimePoint one) { next = std::min(next.value_or(one), one); };
    for (const auto& [task, book] : books_) {
        for (const auto& [sid, vacancy] : book.vacant) earlier(vacancy.until);
        for (const auto& [instance, until] : book.arriving) earlier(until);
    }
    return next;
}

bool DataInstances::can_start_on(const TaskId& task, const NodeId& node) const {
    return context_.sessions().of(node) && !books_.at(task).unfit.contains(node);
}

/// Returns the node with the fewest data instances of the task. Considers only nodes that have or had a data instance,
/// since these nodes have the files. Excludes drained nodes and `leaving`.
std::optional<NodeId> DataInstances::node_with_data(const TaskId& task, const NodeId& leaving) const {
    std::map<NodeId, std::size_t> count;
    for (const auto& [id, instance] : context_.state().instances)
        if (instance.task == task && is_dealt(&instance) && can_start_on(task, instance.node) &&
            !is_draining(context_.state(), instance.node) && instance.node != leaving)
            count[instance.node] += takes_part(&instance) ? 1 : 0;
    const auto fewest = std::ranges::min_element(count, {}, [](const auto& entry) { return entry.second; });
    if (fewest == count.end()) return std::nullopt;
    return fewest->first;
}

/// Returns the node for a replacement: the old node if it can start an instance and is not drained. Otherwise prefers a
/// node where the task has or had a data instance, then any node that can read the data. As a last resort, returns the
/// old node even if it is drained; none if it cannot start an instance.
std::optional<NodeId> DataInstances::node_for_replacement(const TaskId& task, const InstanceId& last) const {
    const NodeId& own = context_.state().instances.at(last).node;
    const bool can_stay = can_start_on(task, own);
    if (can_stay && !is_draining(context_.state(), own)) return own;
    if (auto node = node_with_data(task)) return node;
    if (auto node = other_node(task)) return node;
    return can_stay ? std::optional(own) : std::nullopt;
}

/// Returns a node with room that the task may use, in a MIC whose gateway deals micro-batches; otherwise the node of a
/// stage in such a MIC. Returns none if only some nodes can read the data, or if the task file names a node for the
/// data. The name is ignored if that node is `leaving`, since an operator's order takes precedence.
std::optional<NodeId> DataInstances::other_node(const TaskId& id, const NodeId& leaving) const {
    const TaskView& task = context_.state().tasks.at(id);
    const auto spec = task::parse_task(task.text, id.value());
    const bool stays = spec && !spec->place.data.empty() && spec->place.data != leaving.value();
    if (!spec || stays || !reads_anywhere(task, *spec)) return std::nullopt;
    PlanSummary one;
    one.threads = task.threads;
    one.memory = task.memory;
    one.wish = spec->place;
    const PlacementRequest request{task.submitter, id, context_.now(), task.most_seconds};
    Vacancies free(context_.state(), use_of(context_.state()));
    const auto can = [&](const NodeId& node) {
        return node != leaving && can_start_on(id, node) && devices_.gateway(node);
    };
    for (const NodeId& node : free.in_turn(one, request, context_.state().nodes.size()))
        if (can(node) && !free.obstacle({node}, one, request)) return node;
    for (const InstanceView* stage : instances_of(context_.state(), id))
        if (stage->stage >= 0 && can(stage->node) && !is_draining(context_.state(), stage->node)) return stage->node;
    return std::nullopt;
}

std::optional<NodeId> DataInstances::node_away_from(const TaskId& task, const NodeId& leaving) const {
    auto node = node_with_data(task, leaving);
    return node ? node : other_node(task, leaving);
}

Result<void> DataInstances::can_move(const TaskId& task, const NodeId& from) const {
    if (books_.contains(task) && node_away_from(task, from)) return {};
    return make_error(error_text("data-instance-has-no-other-node"), "node " + from.value(), {task.value()});
}

Result<void> DataInstances::move(const InstanceId& id, const std::string& why) {
    const InstanceView last = context_.state().instances.at(id);
    DIVISI_TRY(can_move(last.task, last.node));
    const NodeId node = *node_away_from(last.task, last.node);
    end(id, "the data instance moves to node " + node.value() + " for " + why);
    const InstanceId next = start(last.task, last.sid, node);
    context_.append(Noted{Severity::info, "orchestrator", last.task.value(),
                          "data instance " + next.value() + " is started on " + node.value() + " in place of " +
                              id.value() + ", for " + why});
    control_.tell_peers(last.task);
    control_.update_waits();
    return {};
}

void DataInstances::add_awaited(const TaskId& task, std::set<std::string>& awaited) const {
    if (!has_begun(context_.state(), task)) return;
    const auto present = dealt_instances(context_.state(), task);
    if (std::ranges::any_of(present, [](const auto* one) { return one->state == InstanceState::running; })) return;
    if (!present.empty()) {
        awaited.insert("data instance " + present.front()->id.value() + " (it is starting)");
    } else if (const auto& vacant = books_.at(task).vacant; !vacant.empty()) {
        const auto& [sid, vacancy] = *vacant.begin();
        awaited.insert("a node for data instance " + sid.value() + " (" + vacancy.why + ")");
    }
}

}  // namespace divisi::control::inline runs
