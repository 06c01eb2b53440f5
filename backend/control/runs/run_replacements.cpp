// SPDX-License-Identifier: Apache-2.0
// Restarts data instances that die while their task trains or leave a drained node. Each is started under its SID as a
// new incarnation.
#include <algorithm>

#include "backend/control/placement/placement.h"
#include "backend/control/runs/runs.h"
#include "backend/control/state/data_place.h"
#include "backend/control/state/drain_state.h"
#include "backend/task/parse.h"

namespace divisi::control::inline runs {
namespace {

/// Returns whether the next process would fail in the same way, since the data or the plan is at fault.
bool happens_again(ErrorCode code) {
    return code == ErrorCode::invalid_input || code == ErrorCode::unsupported || code == ErrorCode::not_found ||
           code == ErrorCode::denied || code == ErrorCode::corrupt;
}

std::string lasting(Duration time) { return std::to_string(time / std::chrono::seconds(1)) + " s"; }

}  // namespace

/// Charges the restart budget of a data instance. Returns why it gets no replacement; none if it may.
std::optional<std::string> Runs::charge_restart_budget(const TaskId& task, const Sid& sid, const Error& error) {
    if (happens_again(error.code)) return "what it met (" + error.what + ") would meet the next one";
    RestartBudget& budget = runs_.at(task).data.restarts.try_emplace(sid, data_restarts).first->second;
    if (budget.spent(context_.lived()))
        return "it was, " + std::to_string(data_restarts.most) + " times within " + lasting(data_restarts.window) +
               "; see the log of its node, then 'divisictl scale " + task.value() + " data=N'";
    budget.count(context_.lived());
    return std::nullopt;
}

/// Sets the deadline of a data instance to register and open its data: the same time as before a task begins.
void Runs::expect_data(const InstanceId& instance) {
    runs_.at(context_.state().instances.at(instance).task).data.arriving[instance] =
        context_.lived() + context_.limits().registration + context_.limits().preparation;
}

void Runs::fill_vacancies(const TaskId& task) {
    DataCare& data = runs_.at(task).data;
    for (auto next = data.vacant.begin(); next != data.vacant.end();) {
        const auto node = node_for_replacement(task, next->second.last);
        if (!node) {
            ++next;
            continue;
        }
        const Sid sid = next->first;
        const Vacancy vacancy = next->second;
        next = data.vacant.erase(next);
        const InstanceId instance = start_data(task, sid, *node);
        context_.append(Noted{Severity::info, "orchestrator", task.value(),
                              "data instance " + instance.value() + " is started on " + node->value() +
                                  " in place of " + vacancy.last.value() + ": " + vacancy.why});
    }
}

void Runs::give_up(const TaskId& task, const Sid& sid) {
    DataCare& data = runs_.at(task).data;
    const Vacancy vacancy = data.vacant.at(sid);
    data.vacant.erase(sid);
    const std::string what = "no node could start data instance " + sid.value() + " again within " +
                             lasting(context_.limits().away) + ", after " + vacancy.why;
    context_.append(Noted{Severity::warning, "orchestrator", task.value(), what});
    if (dealt(task).empty() && data.vacant.empty())
        fail(task, {},
             {ErrorCode::unavailable, what, vacancy.last.value(),
              "bring back a node that has the task's data, then submit the task again"});
}

/// Fails data instances that are not ready in time, and fills vacancies as soon as a node can.
void Runs::check_data() {
    std::vector<TaskId> open;
    for (const auto& [id, run] : runs_)
        if (!context_.state().tasks.at(id).ending && !(run.data.vacant.empty() && run.data.arriving.empty()))
            open.push_back(id);
    for (const TaskId& task : open) {
        DataCare& data = runs_.at(task).data;
        std::vector<InstanceId> late;
        for (auto next = data.arriving.begin(); next != data.arriving.end();) {
            const InstanceView& one = context_.state().instances.at(next->first);
            const bool arrives = one.state < InstanceState::running && !one.exited && run_of(one.id);
            const bool is_late = arrives && context_.lived() >= next->second;
            if (is_late) late.push_back(one.id);
            next = arrives && !is_late ? std::next(next) : data.arriving.erase(next);
        }
        for (const InstanceId& id : late) {
            const NodeId node = context_.state().instances.at(id).node;
            fail(task, id,
                 {ErrorCode::deadline, "the data instance was not ready in time", id.value(),
                  "see the log of its node"});
            context_.tell(node, StopInstance{id});
        }
        if (context_.state().tasks.at(task).ending) continue;
        fill_vacancies(task);
        std::vector<Sid> hopeless;
        for (const auto& [sid, vacancy] : data.vacant)
            if (context_.lived() >= vacancy.until) hopeless.push_back(sid);
        for (const Sid& sid : hopeless) give_up(task, sid);
    }
    if (!open.empty()) say_who_is_awaited();
}

std::optional<TimePoint> Runs::data_deadline(const Run& run) const {
    std::optional<TimePoint> next;
    const auto earlier = [&](TimePoint one) { next = std::min(next.value_or(one), one); };
    for (const auto& [sid, vacancy] : run.data.vacant) earlier(vacancy.until);
    for (const auto& [instance, until] : run.data.arriving) earlier(until);
    return next;
}

/// Adopts the data instances of a training task after a restart. A failed one without a successor gets one. A starting
/// one gets the whole time again.
void Runs::adopt_data(const TaskId& task) {
    if (!begun(task) || context_.state().tasks.at(task).ending) return;
    for (const InstanceView* one : instances_of(context_.state(), task)) {
        if (one->stage != dealt_stage) continue;
        if (one->state == InstanceState::failed)
            runs_.at(task).data.vacant[one->sid] = {one->id, one->detail, context_.lived() + context_.limits().away};
        else if (one->state < InstanceState::running && !one->exited) expect_data(one->id);
    }
}

bool Runs::can_start_on(const TaskId& task, const NodeId& node) const {
    return context_.sessions().of(node) && !runs_.at(task).data.unfit.contains(node);
}

/// Returns the node for a replacement: its own unless drained, else one where the task has or had a data instance, else
/// any that can read the data. If there is none, returns its own even if drained.
std::optional<NodeId> Runs::node_for_replacement(const TaskId& task, const InstanceId& last) const {
    const NodeId& own = context_.state().instances.at(last).node;
    const bool can_stay = can_start_on(task, own);
    if (can_stay && !is_draining(context_.state(), own)) return own;
    if (auto node = node_for_data(task)) return node;
    if (auto node = other_node_for_data(task)) return node;
    return can_stay ? std::optional(own) : std::nullopt;
}

/// Returns a node with room that the task may use, in a MIC whose gateway deals; else a node of its stages. Returns
/// none if the task file names a node, unless that node is `leaving`: an operator's order takes precedence.
std::optional<NodeId> Runs::other_node_for_data(const TaskId& id, const NodeId& leaving) const {
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

std::optional<NodeId> Runs::node_away_from(const TaskId& task, const NodeId& leaving) const {
    auto node = node_for_data(task, leaving);
    return node ? node : other_node_for_data(task, leaving);
}

Result<void> Runs::can_move_data(const TaskId& task, const NodeId& from) const {
    if (runs_.contains(task) && node_away_from(task, from)) return {};
    return Error{ErrorCode::unavailable,
                 "a data instance of task " + task.value() +
                     " runs there, and no other node has its data and room, in a MIC with a gateway",
                 "node " + from.value(), "free or start a node that can read the data, or let the task end first"};
}

Result<void> Runs::move_data(const InstanceId& id, const std::string& why) {
    const InstanceView last = context_.state().instances.at(id);
    DIVISI_TRY(can_move_data(last.task, last.node));
    const NodeId node = *node_away_from(last.task, last.node);
    end_data(id, "it moves to node " + node.value() + " for " + why);
    const InstanceId next = start_data(last.task, last.sid, node);
    context_.append(Noted{Severity::info, "orchestrator", last.task.value(),
                          "data instance " + next.value() + " is started on " + node.value() + " in place of " +
                              id.value() + ", for " + why});
    tell_peers(last.task, true);
    say_who_is_awaited();
    return {};
}

/// Returns which data instance the stages wait for; empty if one is running.
std::string Runs::awaited_data(const TaskId& task, const Run& run) const {
    if (!begun(task)) return {};
    const auto present = dealt(task);
    if (std::ranges::any_of(present, [](const auto* one) { return one->state == InstanceState::running; })) return {};
    if (!present.empty()) return "data instance " + present.front()->id.value() + " (it is starting)";
    if (run.data.vacant.empty()) return {};
    const auto& [sid, vacancy] = *run.data.vacant.begin();
    return "a node for data instance " + sid.value() + " (" + vacancy.why + ")";
}

}  // namespace divisi::control::inline runs
