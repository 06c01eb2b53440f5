// SPDX-License-Identifier: Apache-2.0
// Recovers tasks from faults: all instances of a task go back to its last checkpoint as a new generation and continue
// to train.
#include <algorithm>

#include "backend/control/placement/placement.h"
#include "backend/control/runs/runs.h"
#include "backend/control/runs/standby_rules.h"
#include "backend/control/state/drain_state.h"
#include "backend/task/data_files.h"
#include "backend/task/model_source.h"
#include "backend/task/parse.h"

namespace divisi::control::inline runs {
namespace {

/// Returns whether an instance's error may be transient. Its own errors repeat with the same steps; errors it met in
/// others may not.
bool is_transient(ErrorCode code) { return code == ErrorCode::unavailable || code == ErrorCode::deadline; }

/// Returns the snapshots from which an instance restores: its own, or, if the checkpoint predates the last re-cut,
/// those of every old stage that held its operators.
std::vector<const SegmentSnapshot*> parts_for(const TaskView& task, const Checkpoint& checkpoint,
                                              const InstanceView& instance) {
    const auto stage = static_cast<std::size_t>(instance.stage);
    const bool recut = instance.stage >= 0 && checkpoint.generation < task.plan_since && stage < task.origins.size();
    const auto is_of = [&](const SegmentSnapshot& part) {
        return recut ? std::ranges::count(task.origins[stage].from, part.stage) > 0 : part.sid == instance.sid;
    };
    std::vector<const SegmentSnapshot*> parts;
    for (const SegmentSnapshot& part : checkpoint.parts)
        if (is_of(part)) parts.push_back(&part);
    return parts;
}

bool has_all(const NodeId& node, const std::vector<const SegmentSnapshot*>& parts) {
    return std::ranges::all_of(parts, [&](const auto* part) { return std::ranges::count(part->nodes, node) > 0; });
}

}  // namespace

/// Recovers the task from a fault if it can. Returns whether it did. If the task has recovered too often, sets `error`
/// to that reason.
bool Runs::try_recover(const TaskId& id, const InstanceId& culprit, Error& error, Fault fault) {
    const TaskView& task = context_.state().tasks.at(id);
    if (task.answer == task::FaultAnswer::fail || runs_.at(id).left) return false;
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
    if (!culprit.value().empty() && context_.state().instances.at(culprit).stage == dealt_stage && begun(id))
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
bool Runs::try_other_snapshot(const TaskId& id, const InstanceId& culprit, const Error& error) {
    const TaskView& task = context_.state().tasks.at(id);
    const InstanceView& instance = context_.state().instances.at(culprit);
    const bool is_damage = error.code == ErrorCode::corrupt || error.code == ErrorCode::not_found;
    if (!is_damage || task.from_step == 0 || instance.ready()) return false;
    const NodeId node = instance.node;
    // The error does not name the damaged snapshot, so all of them are marked.
    for (const Checkpoint& one : task.checkpoints)
        if (one.step == task.from_step)
            for (const SegmentSnapshot* part : parts_for(task, one, instance))
                runs_.at(id).faults.gone.emplace(node, part->hash);
    return node_to_go_on(task, instance, checkpoint_to_go_on(task)) != node;
}

/// Records the task's progress. Returns whether it completed a new step since the last fault.
bool Runs::record_progress(const TaskView& task) {
    FaultCare& care = runs_.at(task.id).faults;
    const bool gained = task.step > care.reached;
    care.reached = std::max(care.reached, task.step);
    return gained;
}

/// Charges the retry budgets for a fault. Returns why the task cannot continue; none if it can. A SID that died too
/// often moves to another node.
std::optional<Error> Runs::charge_retry_budget(const TaskId& id, const InstanceId& culprit, const Error& error) {
    const auto ends = [&](const std::string& why, std::string where, const std::string& mend) {
        return Error{error.code, why + "; the last: " + error.what, std::move(where), mend + ", then retry the task"};
    };
    const std::string look = "see 'divisictl logs --task " + id.value() + "' and mend what failed";
    FaultCare& care = runs_.at(id).faults;
    const Sid sid = culprit.value().empty() ? Sid(id.value()) : sid_of(culprit);
    if (!culprit.value().empty()) ++care.faults_on[context_.state().instances.at(culprit).node][sid];
    care.fruitless = record_progress(context_.state().tasks.at(id)) ? 0 : care.fruitless + 1;
    if (care.fruitless > most_fruitless)
        return ends("it recovered " + std::to_string(most_fruitless) +
                        " times in a row and came no further than step " + std::to_string(care.reached),
                    error.where, look);
    RestartBudget& budget = care.recoveries.try_emplace(sid, recoveries_in_place).first->second;
    if (budget.spent(context_.lived())) {
        const std::string often = "it recovered " + std::to_string(recoveries_in_place.most) + " times within " +
                                  std::to_string(recoveries_in_place.window / std::chrono::minutes(1)) +
                                  " minutes from faults of " + sid.value();
        if (culprit.value().empty()) return ends(often, error.where, look);
        const TaskView& task = context_.state().tasks.at(id);
        const InstanceView& before = context_.state().instances.at(culprit);
        const NodeId node = before.node;
        care.exhausted[node].insert(sid);
        const std::string place = "node " + node.value(), mend = "see the log of " + place + " and mend it";
        if (task.answer == task::FaultAnswer::wait)
            return ends(often + ", and it leaves no node, as its task file says", place,
                        mend + ", or let the task recover elsewhere ([faults] answer = \"recover\")");
        if (node_to_go_on(task, before, checkpoint_to_go_on(task)) == node)
            return ends(often + ", and no other node than " + node.value() + " has what it needs to go on", place,
                        mend + ", or give the task another node");
        budget = RestartBudget(recoveries_in_place);
    }
    budget.count(context_.lived());
    return std::nullopt;
}

/// Logs the decision, so that operators can later see why the task recovered or ended.
void Runs::tell_answer(const TaskId& id, const InstanceId& culprit, const std::string& fault,
                       const std::string& answer) {
    std::string who = "a fault";
    if (!culprit.value().empty())
        who += " of " + culprit.value() + " on node " + context_.state().instances.at(culprit).node.value();
    context_.append(Noted{Severity::info, "orchestrator", id.value(), who + ", " + fault + "; answer: " + answer});
}

/// Describes the kind of fault, from what is known of the process and its node.
std::string Runs::kind_of(const InstanceId& culprit, const Error& error, Fault fault) const {
    std::string kind = fault == Fault::said   ? "transient, its process lives"
                       : fault == Fault::lost ? "structural, its process is not waited for"
                                              : "structural, its process is gone";
    kind += ": " + error.what;
    if (culprit.value().empty()) return kind;
    const auto node = context_.state().nodes.find(context_.state().instances.at(culprit).node);
    const bool is_there = node == context_.state().nodes.end() || node->second.state == NodeState::ready;
    return is_there || node->second.reason.empty() ? kind : kind + " (" + node->second.reason + ")";
}

void Runs::recover(const TaskId& id, const InstanceId& culprit, const Error& error, Fault fault) {
    const TaskView& task = context_.state().tasks.at(id);
    const Checkpoint* from = checkpoint_to_go_on(task);
    const auto before = instances_of(context_.state(), id);
    const std::int64_t step = from ? from->step : 0;
    const std::string kind = kind_of(culprit, error, fault);
    const auto next = continuations(task, before, from, culprit);  // uses the state before it changes
    if (!culprit.value().empty()) {
        context_.append(InstanceChanged{culprit, InstanceState::failed, error.message()});
        leases_.finish(culprit, error.what);
    }
    context_.append(PhaseChanged{id, TaskPhase::exception, error.message()});
    const Generation generation = task.generation + 1;
    context_.append(TaskRecovers{id, generation, step, culprit, error.what});
    const auto vacant = begin_again(runs_.at(id));
    std::string answer = "back to step " + std::to_string(step) + " as generation " + std::to_string(generation);
    for (const InstanceView* one : before) {
        if (!is_placed_again(*one)) continue;
        const auto& [node, standby] = next.at(one->sid);
        InstanceId process;
        if (leave(*one, node, culprit, fault, error.what)) process = one->id;
        else if (!standby.value().empty()) process = take_standby(standby, one->sid);
        const InstanceId instance = place(id, generation, one->sid, node, one->stage, task.threads, process);
        leases_.grant_again(one->id, instance);
        if (!process.value().empty() && process == standby)
            answer += ", " + one->sid.value() + " by a standby on node " + node.value();
        else if (node != one->node)
            answer += ", " + one->sid.value() + " from node " + one->node.value() + " to node " + node.value();
        else if (one->id == culprit) answer += ", " + one->sid.value() + " again on node " + node.value();
        if (!can_play(id, node, one->sid)) tell_wait(task, one->sid, node);
    }
    if (fault == Fault::none)
        context_.append(Noted{Severity::info, "orchestrator", id.value(), error.what + "; it goes " + answer});
    else tell_answer(id, culprit, kind, answer);
    place_vacant(id, vacant);
    say_who_is_awaited(id, runs_.at(id));
}

void Runs::tell_wait(const TaskView& task, const Sid& sid, const NodeId& node) {
    std::string text = "the task waits for node " + node.value();
    text += task.answer == task::FaultAnswer::wait ? ", as its task file says"
                                                   : ", which alone has what " + sid.value() + " goes on with";
    if (context_.sessions().of(node))
        text += "; it could not start it, and is asked again in " +
                std::to_string(context_.limits().registration / std::chrono::seconds(1)) + " s";
    context_.append(Noted{Severity::warning, "orchestrator", task.id.value(), text});
}

/// Decides where each instance continues. An instance without a process of its own may get a standby's.
std::map<Sid, Runs::Continuation> Runs::continuations(const TaskView& task,
                                                      const std::vector<const InstanceView*>& before,
                                                      const Checkpoint* from, const InstanceId& culprit) const {
    std::map<Sid, Continuation> next;
    std::set<NodeId> nodes;
    std::set<InstanceId> standbys;
    for (const InstanceView* one : before) {
        if (!is_placed_again(*one)) continue;
        Continuation& then = next[one->sid];
        then.node = node_to_go_on(task, *one, from, nodes);
        const bool stays = one->id != culprit && one->joined && !one->exited && one->node == then.node;
        const InstanceView* standby = stays ? nullptr : standby_for(task, *one, from, then.node, standbys);
        if (standby) then = {standby->node, standby->id};
        if (standby) standbys.insert(standby->id);
        nodes.insert(then.node);
    }
    return next;
}

/// Returns a standby on the node where the instance continues, else on an equivalent node; null if there is none.
/// Prefers ready standbys.
///
/// A running process saves the start of a new one, the longest part of a recovery. An instance that the task file or
/// its files tie to a node stays there.
const InstanceView* Runs::standby_for(const TaskView& task, const InstanceView& before, const Checkpoint* from,
                                      const NodeId& node, const std::set<InstanceId>& taken) const {
    std::vector<const SegmentSnapshot*> parts;
    if (from) parts = parts_for(task, *from, before);
    const auto spec = task::parse_task(task.text, task.id.value());
    const bool may_move = before.stage >= 0 && spec && !places_stages(*spec) && !is_bound(task, before);
    const auto can_take_over = [&](const InstanceView& one) {
        if (!stands_by(one) || !context_.sessions().of(one.id) || !is_fit(task.id, one.node)) return false;
        if (taken.contains(one.id) || (one.node != node && is_draining(context_.state(), one.node))) return false;
        return one.node == node || (may_move && still_has(task.id, one.node, parts) && is_alike(before.node, one.node));
    };
    const auto rank = [&](const InstanceView& one) {
        return std::pair(one.node != node, one.state != InstanceState::standby);
    };
    const InstanceView* best = nullptr;
    for (const InstanceView* one : standbys_of(context_.state(), task.id))
        if (can_take_over(*one) && (!best || rank(*one) < rank(*best))) best = one;
    return best;
}

/// Starts data instances that had died without a replacement.
void Runs::place_vacant(const TaskId& task, const std::map<Sid, Vacancy>& vacant) {
    for (const auto& [sid, vacancy] : vacant) {
        const NodeId last = context_.state().instances.at(vacancy.last).node;
        start_data(task, sid, node_for_replacement(task, vacancy.last).value_or(last));
    }
}

/// Returns whether the instance belongs to the next generation. A dealt data instance that has ended does not.
bool Runs::is_placed_again(const InstanceView& instance) {
    return instance.stage != dealt_stage || (!instance.exited && instance.state < InstanceState::finished);
}

/// Resets a run for its next generation, since reports of the old one no longer apply. Returns the data instances that
/// have no process.
std::map<Sid, Runs::Vacancy> Runs::begin_again(Run& run) {
    auto vacant = std::move(run.data.vacant);
    run.loads.clear();
    run.heard.clear();
    run.suspect.clear();
    run.stands = false;
    run.data = {};
    run.deadline = context_.lived() + context_.limits().registration;
    run.faults.waits_since.reset();
    return vacant;
}

/// Ends an instance of the old generation. Returns whether its process stays for the next one on the same node.
bool Runs::leave(const InstanceView& before, const NodeId& next, const InstanceId& culprit, Fault fault,
                 const std::string& reason) {
    context_.sessions().give_up(before.id);
    leases_.finish(before.id, reason);
    const bool is_culprit = before.id == culprit;
    if (before.exited || (is_culprit && fault == Fault::exited)) return false;
    const bool keep = !is_culprit && before.joined && before.node == next;
    return context_.tell(before.node, StopInstance{before.id, keep}) && keep;
}

/// Returns the newest checkpoint whose snapshots are all on usable nodes. If each stage waits for its own node, these
/// nodes must have them.
///
/// Without such a checkpoint, returns the newest one whose nodes may return and are awaited. Null if the task starts
/// over.
const Checkpoint* Runs::checkpoint_to_go_on(const TaskView& task) const {
    if (task.checkpoints.empty()) return nullptr;
    const auto instances = instances_of(context_.state(), task.id);
    const auto can_go_on = [&](const Checkpoint& from, const InstanceView& instance, bool later) {
        const auto parts = parts_for(task, from, instance);
        if (task.answer == task::FaultAnswer::wait) return still_has(task.id, instance.node, parts);
        return parts.empty() || std::ranges::any_of(parts.front()->nodes, [&](const NodeId& node) {
                   const bool stays = node == instance.node && may_play(task.id, node, instance.sid);
                   const bool can = later || context_.sessions().of(node);
                   return can && (stays || !is_unfit(task.id, node)) && still_has(task.id, node, parts);
               });
    };
    for (const bool later : {false, true})
        for (auto one = task.checkpoints.rbegin(); one != task.checkpoints.rend(); ++one)
            if (std::ranges::all_of(instances, [&](const auto* each) { return can_go_on(*one, *each, later); }))
                return &*one;
    return &task.checkpoints.back();
}

bool Runs::is_fit(const TaskId& task, const NodeId& node) const {
    return context_.sessions().of(node) && !is_unfit(task, node);
}

/// Returns whether stages should avoid the node.
bool Runs::is_unfit(const TaskId& task, const NodeId& node) const { return unfit_nodes(task).contains(node); }

/// Returns whether a SID may start on the node now, if need be, even if other SIDs died there too often.
bool Runs::can_play(const TaskId& task, const NodeId& node, const Sid& sid) const {
    return context_.sessions().of(node) && may_play(task, node, sid);
}

/// Returns whether a SID may start on the node once the node is connected.
bool Runs::may_play(const TaskId& task, const NodeId& node, const Sid& sid) const {
    const auto run = runs_.find(task);
    if (run == runs_.end()) return true;
    const auto exhausted = run->second.faults.exhausted.find(node);
    const bool is_exhausted = exhausted != run->second.faults.exhausted.end() && exhausted->second.contains(sid);
    return !is_exhausted && !run->second.faults.unfit.contains(node);
}

bool Runs::still_has(const TaskId& task, const NodeId& node, const std::vector<const SegmentSnapshot*>& parts) const {
    const auto run = runs_.find(task);
    return has_all(node, parts) && std::ranges::none_of(parts, [&](const auto* part) {
               return run != runs_.end() && run->second.faults.gone.contains({node, part->hash});
           });
}

std::set<NodeId> Runs::unfit_nodes(const TaskId& task) const {
    const auto run = runs_.find(task);
    if (run == runs_.end()) return {};
    std::set<NodeId> nodes = run->second.faults.unfit;
    for (const auto& [node, who] : run->second.faults.exhausted) nodes.insert(node);
    return nodes;
}

std::optional<Error> Runs::exhaustion_error(const TaskId& task, std::int32_t stage, const NodeId& node) const {
    const auto run = runs_.find(task);
    if (run == runs_.end()) return std::nullopt;
    const FaultCare& care = run->second.faults;
    const Sid sid = sid_in(task, stage);
    const auto exhausted = care.exhausted.find(node);
    if (exhausted == care.exhausted.end() || !exhausted->second.contains(sid)) return std::nullopt;
    return Error{ErrorCode::unavailable,
                 "stage " + std::to_string(stage) +
                     " of the new plan cannot go to a node where it failed too often (faults there: " +
                     std::to_string(care.faults_on.at(node).at(sid)) + ")",
                 "node " + node.value(), "name another node for the stage, or mend this one and start its agent again"};
}

/// Returns the nodes on which instances are to start once possible.
std::set<NodeId> Runs::awaited_nodes(const TaskId& task) const {
    std::set<NodeId> nodes;
    for (const InstanceView* one : needed(task))
        if (!one->joined && !one->exited && !can_play(task, one->node, one->sid)) nodes.insert(one->node);
    return nodes;
}

/// Continues tasks that wait for a node if a node that came back has what they need.
void Runs::end_waits(const NodeId& back) {
    std::vector<TaskId> able;
    for (const auto& [id, run] : runs_)
        if (need_not_wait(id)) able.push_back(id);
    for (const TaskId& id : able) {
        std::string awaited;
        for (const NodeId& node : awaited_nodes(id)) awaited += (awaited.empty() ? "" : ", ") + node.value();
        recover(id, {},
                {ErrorCode::unavailable, "with node " + back.value() + " back it need not wait for node " + awaited,
                 id.value(), ""},
                Fault::none);
    }
}

bool Runs::need_not_wait(const TaskId& id) const {
    const TaskView& task = context_.state().tasks.at(id);
    const bool waits = !task.ending && task.phase == TaskPhase::registration && task.started != TimePoint{} &&
                       task.answer == task::FaultAnswer::recover && !awaited_nodes(id).empty();
    if (!waits) return false;
    const Checkpoint* from = checkpoint_to_go_on(task);
    return std::ranges::all_of(needed(id), [&](const InstanceView* one) {
        return one->joined || one->exited || can_play(id, node_to_go_on(task, *one, from), one->sid);
    });
}

/// Extends the deadline of registration if the task waits for a node without which it cannot continue. Returns whether
/// it did. A task whose file says so waits without limit. Nodes that are present but could not start an instance are
/// asked again; each refusal was counted as a fault.
bool Runs::extend_wait(const TaskId& id) {
    const TaskView& task = context_.state().tasks.at(id);
    const auto awaited = awaited_nodes(id);
    if (task.answer == task::FaultAnswer::fail || awaited.empty()) return false;
    Run& run = runs_.at(id);
    const auto is_there = [&](const NodeId& node) { return context_.sessions().of(node).has_value(); };
    const bool nobody_is_away = std::ranges::all_of(awaited, is_there);
    const auto refused = std::erase_if(run.faults.unfit, [&](const NodeId& node) {
        return is_there(node) && std::ranges::find(awaited, node) != awaited.end();
    });
    if (refused > 0 && !run.left) {
        const auto since = run.faults.waits_since;
        recover(id, {},
                {ErrorCode::unavailable, "nodes that could not start an instance are asked again", id.value(), ""},
                Fault::none);
        if (!nobody_is_away)
            runs_.at(id).faults.waits_since = since ? since : context_.lived() - context_.limits().registration;
        return true;
    }
    if (nobody_is_away) return false;
    if (task.answer == task::FaultAnswer::wait) {
        run.deadline = context_.lived() + context_.limits().registration;
        return true;
    }
    if (!run.faults.waits_since) run.faults.waits_since = context_.lived() - context_.limits().registration;
    if (context_.lived() >= *run.faults.waits_since + context_.limits().node_return) return false;
    run.deadline = context_.lived() + context_.limits().registration;
    return true;
}

/// Returns whether the instance must stay on its node: the client brought files of the task to nodes, or the instance
/// reads data files that lie on its node.
bool Runs::is_bound(const TaskView& task, const InstanceView& instance) const {
    const auto spec = task::parse_task(task.text, task.id.value());
    if (!spec) return true;
    const auto is_brought = [](const FileRef& file) { return !file.hash.empty(); };
    const auto is_local = [](const task::DataFile& file) { return file.path.starts_with(task::node_prefix); };
    if (std::ranges::any_of(task.files, is_brought)) return true;
    const auto together = instances_of(context_.state(), task.id);
    const bool data_apart = std::ranges::any_of(together, [](const auto* one) { return one->stage < 0; });
    const bool reads = data_apart ? instance.stage < 0 : instance.stage == 0;
    return reads && std::ranges::any_of(task::data_files(spec->data, spec->batch.labels), is_local);
}

/// Returns the node on which an instance continues. If the task file says to wait, this is its own node, even if that
/// node is away. Otherwise it is its own node if usable, else another node that has its snapshot. If the task starts
/// over, any node with room is usable.
///
/// If no such node is usable, it is the instance's own node, even if others died there too often. If a node must be
/// awaited, it is the instance's own. If that node is present but useless, it is one that has the snapshot and may
/// return.
NodeId Runs::node_to_go_on(const TaskView& task, const InstanceView& before, const Checkpoint* from,
                           const std::set<NodeId>& taken) const {
    if (task.answer == task::FaultAnswer::wait) return before.node;
    std::vector<const SegmentSnapshot*> parts;
    if (from) parts = parts_for(task, *from, before);
    const auto can_go_on = [&](const NodeId& node) { return is_fit(task.id, node) && still_has(task.id, node, parts); };
    if (can_go_on(before.node) || is_bound(task, before)) return before.node;
    if (!parts.empty()) {
        const auto& holders = parts.front()->nodes;
        auto other = std::ranges::find_if(
            holders, [&](const NodeId& node) { return can_go_on(node) && !is_draining(context_.state(), node); });
        if (other == holders.end()) other = std::ranges::find_if(holders, can_go_on);
        const bool stays = can_play(task.id, before.node, before.sid) && still_has(task.id, before.node, parts);
        if (other == holders.end() && !stays &&
            (is_unfit(task.id, before.node) || !still_has(task.id, before.node, parts)))
            other = std::ranges::find_if(holders, [&](const NodeId& node) {
                return !is_unfit(task.id, node) && still_has(task.id, node, parts);
            });
        return other == holders.end() ? before.node : *other;
    }
    return other_node_for_stage(task, before, taken).value_or(before.node);
}

/// Returns a node with room that the task may use and that is not `taken`; else one that the task already uses. A stage
/// of a secure node moves only to secure nodes.
std::optional<NodeId> Runs::other_node_for_stage(const TaskView& task, const InstanceView& before,
                                                 const std::set<NodeId>& taken) const {
    const auto spec = task::parse_task(task.text, task.id.value());
    if (!spec) return std::nullopt;
    PlanSummary one;
    one.threads = task.threads;
    one.memory = task.memory;
    one.wish = spec->place;
    one.device = spec->place.device;
    const PlacementRequest request{task.submitter, task.id, context_.now(), task.most_seconds};
    const auto& nodes = context_.state().nodes;
    const auto is_secure = [&](const NodeId& node) { return nodes.contains(node) && nodes.at(node).info.secure; };
    const bool guarded = is_secure(before.node);
    const auto can = [&](const NodeId& node) { return is_fit(task.id, node) && (!guarded || is_secure(node)); };
    Vacancies free(context_.state(), use_of(context_.state()));
    for (const NodeId& node : free.in_turn(one, request, nodes.size()))
        if (can(node) && !taken.contains(node) && !free.obstacle({node}, one, request)) return node;
    for (const InstanceView* other : instances_of(context_.state(), task.id))
        if (other->node != before.node && can(other->node) && !is_draining(context_.state(), other->node))
            return other->node;
    return std::nullopt;
}

/// Returns the snapshots from which an instance of the current generation starts.
Restore Runs::restore(const InstanceView& instance) const {
    const TaskView& task = task_of(instance);
    Restore restore{task.from_step, {}};
    for (const Checkpoint& one : task.checkpoints) {
        if (one.step != task.from_step) continue;
        for (const SegmentSnapshot* part : parts_for(task, one, instance)) restore.hashes.push_back(part->hash);
    }
    return restore;
}

}  // namespace divisi::control::inline runs
