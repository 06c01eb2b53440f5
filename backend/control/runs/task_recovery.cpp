// SPDX-License-Identifier: Apache-2.0
// Decides what answers a fault of a task, within its retry budgets, and how long it waits for nodes.
#include "backend/control/runs/task_recovery.h"

#include <algorithm>

#include "backend/control/runs/task_instances.h"

namespace divisi::control::inline runs {
namespace {

/// Returns whether an instance's error may be transient. Its own errors repeat with the same steps; errors it met in
/// others may not.
bool is_transient(ErrorCode code) { return code == ErrorCode::unavailable || code == ErrorCode::deadline; }

/// Returns the error of a task that cannot continue after this last error.
Error cannot_go_on(const Error& last, const std::string& why, const std::string& where, const std::string& mend) {
    return {last.code, why + "; the last: " + last.what, where, mend + ", then retry the task"};
}

std::string look_at(const TaskId& task) {
    return "see 'divisictl logs --task " + task.value() + "' and mend what failed";
}

}  // namespace

void TaskRecovery::follow(const Event& event) {
    if (const auto* ended = get_if<TaskEnded>(&event.body)) books_.erase(ended->task);
}

bool TaskRecovery::handle_fault(const TaskId& id, const InstanceId& culprit, Error& error, Fault fault) {
    const TaskView& task = context_.state().tasks.at(id);
    if (task.answer == task::FaultAnswer::fail || control_.is_left(id)) return false;
    const bool was_running = task.started != TimePoint{};
    const bool by_itself =
        !culprit.value().empty() && was_running && (is_transient(error.code) || try_other_snapshot(id, culprit, error));
    if (fault == Fault::said && !by_itself) {
        if (!culprit.value().empty() && was_running)
            tell_answer(id, culprit, "it would meet the same again: " + error.what, "the task ends");
        return false;
    }
    if (culprit.value().empty() && !was_running) return false;
    // A dealt data instance has already been restarted as often as allowed.
    if (!culprit.value().empty() && context_.state().instances.at(culprit).stage == dealt_stage &&
        has_begun(context_.state(), id))
        return false;
    if (auto why = charge_retry_budget(id, culprit, error)) {
        context_.append(Noted{Severity::warning, "orchestrator", id.value(), why->what});
        error = std::move(*why);
        return false;
    }
    recover(id, culprit, error, fault);
    return true;
}

/// Marks the snapshots as gone on the culprit's node if the error means that one is damaged or missing. Returns whether
/// the task can continue on another node that has them.
bool TaskRecovery::try_other_snapshot(const TaskId& id, const InstanceId& culprit, const Error& error) {
    const TaskView& task = context_.state().tasks.at(id);
    const InstanceView& instance = context_.state().instances.at(culprit);
    const bool is_damage = error.code == ErrorCode::corrupt || error.code == ErrorCode::not_found;
    if (!is_damage || task.from_step == 0 || instance.ready()) return false;
    const NodeId node = instance.node;
    // The error does not name the damaged snapshot, so all of them are marked.
    for (const Checkpoint& one : task.checkpoints)
        if (one.step == task.from_step)
            for (const SegmentSnapshot* part : parts_for(task, one, instance))
                fitness_.lose_snapshot(id, node, part->hash);
    return placement_.node_for(task, instance, placement_.checkpoint_for(task)) != node;
}

/// Records the task's progress. Returns whether it completed a new step since the last fault.
bool TaskRecovery::record_progress(const TaskView& task) {
    Book& book = books_.at(task.id);
    const bool gained = task.step > book.reached;
    book.reached = std::max(book.reached, task.step);
    return gained;
}

/// Charges the retry budgets for a fault. Returns why the task cannot continue; none if it can. A SID that died too
/// often moves to another node.
std::optional<Error> TaskRecovery::charge_retry_budget(const TaskId& id, const InstanceId& culprit,
                                                       const Error& error) {
    Book& book = books_.at(id);
    if (!culprit.value().empty())
        fitness_.count_fault(id, context_.state().instances.at(culprit).node, sid_of(culprit));
    book.fruitless = record_progress(context_.state().tasks.at(id)) ? 0 : book.fruitless + 1;
    if (book.fruitless > most_fruitless)
        return cannot_go_on(error,
                            "it recovered " + std::to_string(most_fruitless) +
                                " times in a row and came no further than step " + std::to_string(book.reached),
                            error.where, look_at(id));
    return charge_sid(id, culprit, error);
}

/// Charges the retry budget of the SID at fault, or of the task if none is. Returns as charge_retry_budget().
std::optional<Error> TaskRecovery::charge_sid(const TaskId& id, const InstanceId& culprit, const Error& error) {
    const Sid sid = culprit.value().empty() ? Sid(id.value()) : sid_of(culprit);
    RestartBudget& budget = books_.at(id).recoveries.try_emplace(sid, recoveries_in_place).first->second;
    if (budget.spent(context_.lived())) {
        const std::string often = "it recovered " + std::to_string(recoveries_in_place.most) + " times within " +
                                  std::to_string(recoveries_in_place.window / std::chrono::minutes(1)) +
                                  " minutes from faults of " + sid.value();
        if (culprit.value().empty()) return cannot_go_on(error, often, error.where, look_at(id));
        if (auto why = leave_node(id, culprit, error, often)) return why;
        budget = RestartBudget(recoveries_in_place);
    }
    budget.count(context_.lived());
    return std::nullopt;
}

/// Bars the culprit's SID from its node. Returns why it cannot continue on another one; none if it can.
std::optional<Error> TaskRecovery::leave_node(const TaskId& id, const InstanceId& culprit, const Error& last,
                                              const std::string& often) {
    const TaskView& task = context_.state().tasks.at(id);
    const InstanceView& before = context_.state().instances.at(culprit);
    const NodeId node = before.node;
    fitness_.exhaust(id, node, before.sid);
    const std::string place = "node " + node.value(), mend = "see the log of " + place + " and mend it";
    if (task.answer == task::FaultAnswer::wait)
        return cannot_go_on(last, often + ", and it leaves no node, as its task file says", place,
                            mend + ", or let the task recover elsewhere ([faults] answer = \"recover\")");
    if (placement_.node_for(task, before, placement_.checkpoint_for(task)) == node)
        return cannot_go_on(last, often + ", and no other node than " + node.value() + " has what it needs to go on",
                            place, mend + ", or give the task another node");
    return std::nullopt;
}

/// Logs the decision, so that operators can later see why the task recovered or ended.
void TaskRecovery::tell_answer(const TaskId& id, const InstanceId& culprit, const std::string& fault,
                               const std::string& answer) {
    std::string who = "a fault";
    if (!culprit.value().empty())
        who += " of " + culprit.value() + " on node " + context_.state().instances.at(culprit).node.value();
    context_.append(Noted{Severity::info, "orchestrator", id.value(), who + ", " + fault + "; answer: " + answer});
}

/// Describes the kind of fault, from what is known of the process and its node.
std::string TaskRecovery::kind_of(const InstanceId& culprit, const Error& error, Fault fault) const {
    std::string kind = fault == Fault::said   ? "transient, its process lives"
                       : fault == Fault::lost ? "structural, its process is not waited for"
                                              : "structural, its process is gone";
    kind += ": " + error.what;
    if (culprit.value().empty()) return kind;
    const auto node = context_.state().nodes.find(context_.state().instances.at(culprit).node);
    const bool is_there = node == context_.state().nodes.end() || node->second.state == NodeState::ready;
    return is_there || node->second.reason.empty() ? kind : kind + " (" + node->second.reason + ")";
}

void TaskRecovery::node_settled(const NodeId& back) {
    std::vector<TaskId> able;
    for (const auto& [id, book] : books_)
        if (need_not_wait(id)) able.push_back(id);
    for (const TaskId& id : able) {
        std::string awaited;
        for (const NodeId& node : fitness_.awaited_nodes(id)) awaited += (awaited.empty() ? "" : ", ") + node.value();
        recover(id, {},
                {ErrorCode::unavailable, "with node " + back.value() + " back it need not wait for node " + awaited,
                 id.value(), ""},
                Fault::none);
    }
}

bool TaskRecovery::need_not_wait(const TaskId& id) const {
    const TaskView& task = context_.state().tasks.at(id);
    const bool waits = !task.ending && task.phase == TaskPhase::registration && task.started != TimePoint{} &&
                       task.answer == task::FaultAnswer::recover && !fitness_.awaited_nodes(id).empty();
    if (!waits) return false;
    const Checkpoint* from = placement_.checkpoint_for(task);
    return std::ranges::all_of(needed_instances(context_.state(), id), [&](const InstanceView* one) {
        return one->joined || one->exited || fitness_.can_play(id, placement_.node_for(task, *one, from), one->sid);
    });
}

Result<bool> TaskRecovery::extend_wait(const TaskId& id) {
    if (try_extend_wait(id)) return true;
    auto absent = fitness_.awaited_nodes(id);
    std::erase_if(absent, [&](const NodeId& node) { return context_.sessions().of(node).has_value(); });
    if (absent.empty() || !books_.at(id).waits_since) return false;
    return Error{ErrorCode::unavailable,
                 "a node that alone can go on with the task did not come back within " +
                     std::to_string(context_.limits().node_return / std::chrono::minutes(1)) + " minutes",
                 "node " + absent.begin()->value(), "bring it back, then retry the task"};
}

bool TaskRecovery::try_extend_wait(const TaskId& id) {
    const TaskView& task = context_.state().tasks.at(id);
    const auto awaited = fitness_.awaited_nodes(id);
    if (task.answer == task::FaultAnswer::fail || awaited.empty()) return false;
    Book& book = books_.at(id);
    const bool nobody_is_away =
        std::ranges::all_of(awaited, [&](const NodeId& node) { return context_.sessions().of(node).has_value(); });
    const TimePoint begun = context_.lived() - context_.limits().registration;  // of the wait that ends now
    if (fitness_.ask_again(id, awaited) > 0 && !control_.is_left(id)) {
        const auto since = book.waits_since;
        recover(id, {},
                {ErrorCode::unavailable, "nodes that could not start an instance are asked again", id.value(), ""},
                Fault::none);
        if (!nobody_is_away) book.waits_since = since.value_or(begun);
        return true;
    }
    if (nobody_is_away) return false;
    if (task.answer != task::FaultAnswer::wait) {
        if (!book.waits_since) book.waits_since = begun;
        if (context_.lived() >= *book.waits_since + context_.limits().node_return) return false;
    }
    control_.extend_registration(id);
    return true;
}

}  // namespace divisi::control::inline runs
