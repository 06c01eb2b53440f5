// SPDX-License-Identifier: Apache-2.0
// Decides how a task answers a fault, within its retry budgets, and how long it waits for nodes.
#include "backend/control/runs/task_recovery.h"

#include <algorithm>

#include "backend/control/runs/task_instances.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline runs {
namespace {

/// Returns whether an instance's error may be transient. Errors of the instance itself repeat in the same steps; errors
/// caused by other processes need not repeat.
bool is_transient(ErrorCode code) { return code == ErrorCode::unavailable || code == ErrorCode::deadline; }

/// Returns the error of a task that cannot continue after this last error.
Error cannot_go_on(const Error& last, const ErrorText& text, const std::string& where, std::vector<std::string> args) {
    Error error = make_error(text, where, std::move(args));
    error.code = last.code;
    return error;
}

/// Returns the arguments of the errors about too many recoveries: the two limits, the SID, the last error, and `where`
/// as argument %5.
std::vector<std::string> recovery_arguments(const Sid& sid, const Error& last, const std::string& where) {
    return {std::to_string(recoveries_in_place.most),
            std::to_string(recoveries_in_place.window / std::chrono::minutes(1)), sid.value(), last.what, where};
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
            tell_answer(id, culprit, "the error would repeat: " + error.what, "the task ends");
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

/// Marks the snapshots on the culprit's node as lost if the error means that a snapshot is damaged or missing. Returns
/// whether the task can continue on another node that has the snapshots.
bool TaskRecovery::try_other_snapshot(const TaskId& id, const InstanceId& culprit, const Error& error) {
    const TaskView& task = context_.state().tasks.at(id);
    const InstanceView& instance = context_.state().instances.at(culprit);
    const bool is_damage = error.code == ErrorCode::corrupt || error.code == ErrorCode::not_found;
    if (!is_damage || task.from_step == 0 || instance.ready()) return false;
    const NodeId node = instance.node;
    // The error does not name the damaged snapshot, so all snapshots are marked.
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
        return cannot_go_on(error, error_text("recoveries-without-progress"), error.where,
                            {std::to_string(most_fruitless), std::to_string(book.reached), error.what, id.value()});
    return charge_sid(id, culprit, error);
}

/// Charges the retry budget of the SID at fault, or the task's budget if no SID is at fault. Returns the same values as
/// charge_retry_budget().
std::optional<Error> TaskRecovery::charge_sid(const TaskId& id, const InstanceId& culprit, const Error& error) {
    const Sid sid = culprit.value().empty() ? Sid(id.value()) : sid_of(culprit);
    RestartBudget& budget = books_.at(id).recoveries.try_emplace(sid, recoveries_in_place).first->second;
    if (budget.spent(context_.lived())) {
        if (culprit.value().empty())
            return cannot_go_on(error, error_text("too-many-recoveries"), error.where,
                                recovery_arguments(sid, error, id.value()));
        if (auto why = leave_node(id, culprit, error)) return why;
        budget = RestartBudget(recoveries_in_place);
    }
    budget.count(context_.lived());
    return std::nullopt;
}

/// Excludes the culprit's SID from its node. Returns an error if the SID cannot continue on another node; none if it
/// can.
std::optional<Error> TaskRecovery::leave_node(const TaskId& id, const InstanceId& culprit, const Error& last) {
    const TaskView& task = context_.state().tasks.at(id);
    const InstanceView& before = context_.state().instances.at(culprit);
    const NodeId node = before.node;
    fitness_.exhaust(id, node, before.sid);
    const auto stuck = [&](const ErrorText& text) {
        return cannot_go_on(last, text, "node " + node.value(),
                            recovery_arguments(sid_of(culprit), last, node.value()));
    };
    if (task.answer == task::FaultAnswer::wait) return stuck(error_text("task-may-not-leave-node"));
    if (placement_.node_for(task, before, placement_.checkpoint_for(task)) == node)
        return stuck(error_text("task-has-no-other-node"));
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
    std::string kind = fault == Fault::said   ? "transient, its process still runs"
                       : fault == Fault::lost ? "structural, its process is no longer awaited"
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
        recover(id, {}, make_error(error_text("recovery-need-not-wait"), id.value(), {back.value(), awaited}),
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
    return make_error(error_text("awaited-node-did-not-return"), "node " + absent.begin()->value(),
                      {std::to_string(context_.limits().node_return / std::chrono::minutes(1))});
}

bool TaskRecovery::try_extend_wait(const TaskId& id) {
    const TaskView& task = context_.state().tasks.at(id);
    const auto awaited = fitness_.awaited_nodes(id);
    if (task.answer == task::FaultAnswer::fail || awaited.empty()) return false;
    Book& book = books_.at(id);
    const bool nobody_is_away =
        std::ranges::all_of(awaited, [&](const NodeId& node) { return context_.sessions().of(node).has_value(); });
    const TimePoint begun = context_.lived() - context_.limits().registration;  // start of the wait that ends now
    if (fitness_.ask_again(id, awaited) > 0 && !control_.is_left(id)) {
        const auto since = book.waits_since;
        recover(id, {}, make_error(error_text("recovery-asks-again"), id.value()), Fault::none);
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
