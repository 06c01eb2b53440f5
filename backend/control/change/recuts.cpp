// SPDX-License-Identifier: Apache-2.0
#include "backend/control/change/recuts.h"

#include <algorithm>

#include "backend/control/change/recut_placement.h"
#include "backend/control/change/recut_text.h"
#include "backend/control/change/snapshot_neighbour.h"
#include "backend/control/protocol/input_limits.h"
#include "backend/control/state/drain_state.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/parse.h"

namespace divisi::control::inline change {
namespace {

constexpr std::int32_t no_stage = -1;  ///< value of PreparePlan::stage for an instance that builds no stage

Error absent(const InstanceId& instance) { return make_error(error_text("recut-process-away"), instance.value()); }

std::string counted_stages(std::size_t stages) { return std::to_string(stages) + (stages == 1 ? " stage" : " stages"); }

}  // namespace

bool trains_now(const TaskView& task) { return task.phase == TaskPhase::exchange && !task.ending; }

// --- requests -----------------------------------------------------------------------------------

Result<const TaskView*> Recuts::check(const Recut& message) const {
    const auto found = context_.state().tasks.find(message.task);
    if (found == context_.state().tasks.end()) return context_.no_such_task(message.task);
    const TaskView& task = found->second;
    if (changes_.contains(task.id)) return make_error(error_text("recut-in-progress"), task.id.value());
    if (!trains_now(task))
        return make_error(error_text("recut-task-not-training"), task.id.value(), {to_string(task.phase)});
    DIVISI_ASSIGN(const task::TaskSpec spec, task::parse_task(task.text, task.id.value()));
    if (spec.task.kind != "train")
        return make_error(error_text("recut-of-stateless-task"), task.id.value(), {spec.task.kind});
    if (!message.plan.empty() && message.plan != task.plan_hash)
        return make_error(error_text("recut-of-other-plan"), task.id.value(), {clipped(message.plan), task.plan_hash});
    return &task;
}

void Recuts::handle(const Received& received, const Recut& message) {
    const auto task = check(message);
    if (!task) return context_.refuse(received, task.error());
    const auto text = recut_text(**task, message);
    if (!text) return context_.refuse(received, text.error());
    Change change;
    change.peer = received.peer;
    change.correlation = received.correlation;
    change.next.text = *text;
    change.next.by = context_.sessions().at(received.peer).credentials.name;
    const auto begun = begin(**task, std::move(change), *text, (*task)->text);
    if (!begun) context_.refuse(received, begun.error());
}

Result<void> Recuts::move(const TaskId& id, const std::string& by) {
    Recut message;
    message.task = id;
    DIVISI_ASSIGN(const TaskView* task, check(message));
    PlanSummary in_force;  // gives the current cuts, so that no search is needed
    in_force.name = task->name;
    in_force.cuts = task->cuts;
    DIVISI_ASSIGN(const std::string text, with_found_cuts(task->text, in_force));
    Change change;
    change.correlation = ++unasked_;
    change.unasked = change.moves = true;
    change.next.text = task->text;
    change.next.by = by;
    return begin(*task, std::move(change), text, text);
}

Result<void> Recuts::follow_advice(const TaskId& id, const std::vector<std::string>& cuts) {
    Recut message;
    message.task = id;
    message.cuts = cuts;
    DIVISI_ASSIGN(const TaskView* task, check(message));
    DIVISI_ASSIGN(const std::string text, recut_text(*task, message));
    Change change;
    change.correlation = ++unasked_;
    change.unasked = true;
    change.next.text = text;
    change.next.by = "advice";
    return begin(*task, std::move(change), text, task->text);
}

/// Starts a job that compiles the plan of `text` and determines what its stages inherit from the plan of `before`.
Result<void> Recuts::begin(const TaskView& task, Change change, const std::string& text, const std::string& before) {
    auto submission = std::make_shared<const SubmitTask>(
        SubmitTask{text, task.folder, models_.of(task.id), task.files, task.submitted_by});
    JobBook::Asked asked{change.peer, change.correlation};
    asked.recut = task.id;
    const std::size_t most = context_.limits().queued_tasks + 1;  // same limit as for tasks that are planned again
    DIVISI_TRY(context_.begin(std::move(asked), Planning{std::move(submission), before}, {most, most}));
    change.generation = task.generation;
    change.deadline = context_.lived() + recut_patience;
    changes_.emplace(task.id, std::move(change));
    return {};
}

void Recuts::planned(const JobBook::Asked& asked, const Result<PlanSummary>& plan) {
    const auto found = changes_.find(asked.recut);
    // Ignore the plan if the re-cut was abandoned.
    if (found == changes_.end() || found->second.stage != Stage::planning) return;
    if (found->second.peer != asked.peer || found->second.correlation != asked.correlation) return;
    if (const auto why = obstacle(asked.recut, found->second)) return refuse(asked.recut, *why);
    if (!plan) return refuse(asked.recut, plan.error());
    if (auto accepted = accept(asked.recut, found->second, *plan); !accepted) refuse(asked.recut, accepted.error());
}

Result<void> Recuts::check_plan(const TaskView& task, const Change& change, const PlanSummary& plan) const {
    const bool same = plan.plan_hash == task.plan_hash;
    if (same == change.moves) return {};
    if (same) return make_error(error_text("recut-plan-unchanged"), task.id.value(), {task.plan_hash});
    return make_error(error_text("move-changes-plan"), task.id.value(), {plan.plan_hash});
}

/// Decides on which nodes and in which processes the stages run.
Result<void> Recuts::accept(const TaskId& id, Change& change, const PlanSummary& plan) {
    const TaskView& task = context_.state().tasks.at(id);
    DIVISI_TRY(check_plan(task, change, plan));
    NextPlan& next = change.next;
    if (!change.moves) {
        DIVISI_ASSIGN(next.text, with_found_cuts(next.text, plan));
    }
    next.plan = plan;
    name_units(next.plan, id);
    DIVISI_TRY(check_extent(task, change));
    DIVISI_ASSIGN(const auto nodes, nodes_for(task, change, plan));
    for (std::size_t stage = 0; stage < nodes.size(); ++stage)
        next.origins.push_back(
            {nodes[stage], stage < plan.inherits.size() ? plan.inherits[stage] : std::vector<std::int32_t>()});
    change.stage = Stage::preparing;
    note_accepted(task, change);
    return prepare(task, change);
}

/// Returns the node of each stage. If a file names a node where the stage died too often, a re-cut is refused. A move
/// for a drain ignores the name in the file, so that the stage stays on its current node.
Result<std::vector<NodeId>> Recuts::nodes_for(const TaskView& task, const Change& change, PlanSummary plan) const {
    for (std::size_t i = 0; i < plan.stage_nodes.size(); ++i) {
        const NodeId node(plan.stage_nodes[i]);
        const auto exhausted = fitness_.exhaustion_error(task.id, static_cast<std::int32_t>(i), node);
        if (!exhausted || is_draining(context_.state(), node)) continue;
        if (!change.moves) return *exhausted;
        plan.stage_nodes[i].clear();
    }
    return place_next_plan(context_.state(), queue_.use(), task, plan, context_.now(), fitness_.unfit_nodes(task.id));
}

/// Prepares everything that can be done while the old plan trains.
Result<void> Recuts::prepare(const TaskView& task, Change& change) {
    NextPlan& next = change.next;
    DIVISI_TRY(check_security(task, next));
    next.processes = recovery_.prepare_recut(task.id, next);
    // Choose a number above all earlier ones: instances that reconnect after a restart may answer an old order.
    orders_ = std::max(orders_ + 1, static_cast<std::uint64_t>(context_.now().time_since_epoch().count()));
    change.order = orders_;
    DIVISI_TRY(bring_weights(task, change));
    list_untold(task, change);
    return tell_untold(task, change);
}

/// Lists the instances that must prepare the new plan. An instance that keeps its stage and its task file need not
/// prepare, for example if only other stages move.
void Recuts::list_untold(const TaskView& task, Change& change) {
    const NextPlan& next = change.next;
    const NodeUse use = queue_.use();
    std::map<NodeId, std::int64_t> granted;
    for (std::size_t i = 0; i < next.processes.size(); ++i) {
        const InstanceView& one = context_.state().instances.at(next.processes[i]);
        const auto stage = static_cast<std::int32_t>(i);
        if (next.text == task.text && one.stage == stage) continue;
        const bool stands_by = one.stage == standby_stage;
        const bool has_room =
            stands_by || has_room_ahead(context_.state(), use, next.plan, one.node, granted[one.node]);
        if (has_room && !stands_by) ++granted[one.node];
        change.untold.emplace(one.id, has_room ? stage : no_stage);
    }
    if (next.text == task.text) return;
    for (const InstanceView* one : instances_of(context_.state(), task.id))
        if (one->stage < 0 && one->joined && !one->exited) change.untold.emplace(one->id, no_stage);
}

/// Returns whether an instance can prepare now: a standby must be ready, and no weights for its node may be awaited.
bool Recuts::can_prepare(const Change& change, const InstanceId& id) const {
    const InstanceView& one = context_.state().instances.at(id);
    if (one.stage == standby_stage && one.state != InstanceState::standby) return false;
    return std::ranges::none_of(change.awaited, [&](const auto& blob) { return blob.second == one.node; });
}

/// Tells the listed instances that can prepare to do so. Skips dealt data instances that are disconnected. Fails if any
/// other instance is disconnected.
Result<void> Recuts::tell_untold(const TaskView& task, Change& change) {
    for (auto next = change.untold.begin(); next != change.untold.end();) {
        const auto [id, stage] = *next;
        if (!can_prepare(change, id)) {
            ++next;
            continue;
        }
        next = change.untold.erase(next);
        if (context_.tell(id, PreparePlan{task.id, id, change.next.text, stage, change.order})) {
            change.told.insert(id);
            change.compiling.insert(id);
        } else if (context_.state().instances.at(id).stage != dealt_stage) {
            return absent(id);
        }
    }
    return {};
}

/// Tells instances to drop the prepared plan, which uses memory. Does not wait for their answers.
void Recuts::forget_prepared(const TaskView& task, const Change& change) {
    for (const InstanceId& id : change.told) {
        const auto one = context_.state().instances.find(id);
        if (one == context_.state().instances.end() || one->second.exited) continue;
        if (one->second.stage == standby_stage && !stands_by(one->second)) continue;
        context_.tell(id, PreparePlan{task.id, id, task.text, no_stage, ++orders_});
    }
}

void Recuts::handle(const Received&, const PlanPrepared& message) {
    const auto found = changes_.find(message.task);
    // Ignore a late answer to an abandoned re-cut.
    if (found == changes_.end() || message.order != found->second.order) return;
    Change& change = found->second;
    if (change.compiling.erase(message.instance) == 0) return;
    if (message.error) change.failure = message.error;
    else if (message.plan_hash != change.next.plan.plan_hash)
        change.failure = make_error(error_text("recut-compiled-another-plan"), message.instance.value(),
                                    {clipped(message.plan_hash)});
}

bool Recuts::is_prepared(const Change& change) const {
    return change.untold.empty() && change.compiling.empty() && change.awaited.empty();
}

/// Makes all stages of the old plan pause after the same step.
Result<void> Recuts::pause_steps(const TaskView& task, Change& change) {
    DIVISI_ASSIGN(const std::int64_t step, checkpoints_.order_last(task.id));
    recovery_.pause_steps(task.id);
    change.stage = Stage::checkpoint;
    change.deadline = context_.lived() + recut_patience;  // deadline for the stages to stop
    context_.append(Noted{Severity::info, "orchestrator", task.id.value(),
                          "ends its plan " + task.plan_hash + " with step " + std::to_string(step) +
                              ": all processes of the next plan are ready"});
    return {};
}

void Recuts::note_accepted(const TaskView& task, const Change& change) {
    const NextPlan& next = change.next;
    std::string nodes;
    for (const StageOrigin& origin : next.origins) nodes += (nodes.empty() ? "" : ", ") + origin.node.value();
    const std::string what = change.moves
                                 ? "will continue with its stages on " + nodes + ", for " + next.by
                                 : "will be re-cut for " + next.by + " into " + counted_stages(next.origins.size()) +
                                       ", plan " + next.plan.plan_hash + " instead of " + task.plan_hash;
    context_.append(Noted{Severity::info, "orchestrator", task.id.value(), what});
}

/// Checks that the accepted plan fits into the log and can be read back.
Result<void> Recuts::check_extent(const TaskView& task, const Change& change) const {
    TaskSubmitted submitted;
    submitted.name = task.name;
    submitted.text = change.next.text;
    submitted.folder = task.folder;
    submitted.files = task.files;
    TaskPlanned planned;
    planned.cuts = change.next.plan.cuts;
    for (const PlannedUnit& unit : change.next.plan.units) planned.units.push_back(unit.unit);
    return check_task(submitted, planned);
}

// --- progress -----------------------------------------------------------------------------------

void Recuts::poll() {
    std::vector<TaskId> tasks;
    for (const auto& [task, change] : changes_) tasks.push_back(task);
    for (const TaskId& task : tasks) advance(task, changes_.at(task));
}

void Recuts::advance(const TaskId& id, Change& change) {
    if (const auto why = obstacle(id, change)) return refuse(id, *why);
    const TaskView& task = context_.state().tasks.at(id);
    // Do not wait for a data instance that disconnected, even if it reconnects: its answer may be lost.
    std::erase_if(change.compiling, [&](const InstanceId& one) { return !context_.sessions().of(one); });
    if (change.stage == Stage::preparing) {
        if (auto told = tell_untold(task, change); !told) return refuse(id, told.error());
        if (trains_now(task) && is_prepared(change))
            if (auto ordered = pause_steps(task, change); !ordered) return refuse(id, ordered.error());
    }
    if (change.stage == Stage::checkpoint) {
        if (const auto last = checkpoints_.last_step(id); last && task.step >= *last && !change.stood) {
            change.stood = context_.lived();
            change.deadline = context_.lived() + stand_patience;
        }
        bring_early(id, change);
        const Checkpoint* from = committed(id, change);
        if (!from) return;
        checkpoints_.hold(id);
        change.stage = Stage::bringing;
        change.next.step = from->step;
        if (auto ordered = bring(id, *from, change); !ordered) return refuse(id, ordered.error());
        change.deadline =
            context_.lived() + stand_patience + std::chrono::seconds(expected(*from, change) / slowest_bring);
    }
    if (change.stage == Stage::bringing && change.awaited.empty()) take_force(id, change);
    else if (change.stage == Stage::in_force && task.step > change.next.step) finish(id);
}

/// Returns why the re-cut cannot continue; none if it can.
std::optional<Error> Recuts::obstacle(const TaskId& id, const Change& change) const {
    const auto found = context_.state().tasks.find(id);
    const bool before = change.stage < Stage::in_force;
    if (found == context_.state().tasks.end() || !found->second.runs() || found->second.ending)
        return make_error(before ? error_text("recut-task-ended") : error_text("recut-task-ended-untrained"),
                          id.value());
    if (!before) return std::nullopt;
    const TaskView& task = found->second;
    if (task.generation != change.generation) return make_error(error_text("recut-task-recovered"), id.value());
    if (change.failure) return change.failure;
    if (context_.lived() >= change.deadline)
        return change.stage < Stage::checkpoint ? make_error(error_text("recut-plan-late"), id.value(),
                                                             {std::to_string(recut_patience / std::chrono::minutes(1))})
                                                : make_error(error_text("recut-start-late"), id.value());
    if (change.stage == Stage::checkpoint && !checkpoints_.last_step(id))
        return make_error(error_text("recut-without-checkpoint"), id.value());
    if (const auto missing = missing_process(change)) return missing;
    if (change.stage == Stage::checkpoint)
        if (const auto missing = missing_stage(task)) return missing;
    for (const StageOrigin& origin : change.next.origins)
        if (!context_.sessions().of(origin.node))
            return make_error(error_text("recut-node-away"), "node " + origin.node.value());
    return std::nullopt;
}

/// Returns an error if a process that is to run a stage has ended or is disconnected.
std::optional<Error> Recuts::missing_process(const Change& change) const {
    const auto is_there = [&](const InstanceId& id) {
        const InstanceView& one = context_.state().instances.at(id);
        if (one.stage != standby_stage) return !one.exited && context_.sessions().of(id).has_value();
        // A standby that is still starting has no session yet.
        return stands_by(one) && (one.state != InstanceState::standby || context_.sessions().of(id));
    };
    const auto away = std::ranges::find_if_not(change.next.processes, is_there);
    return away == change.next.processes.end() ? std::nullopt : std::optional(absent(*away));
}

/// Returns an error if a stage of the old plan lost its connection. A disconnected stage drops its HoldSteps order and
/// would continue while the other stages are paused.
std::optional<Error> Recuts::missing_stage(const TaskView& task) const {
    for (const InstanceView* one : instances_of(context_.state(), task.id))
        if (one->stage >= 0 && !context_.sessions().of(one->id))
            return make_error(error_text("recut-stage-away"), one->id.value());
    return std::nullopt;
}

/// Returns the checkpoint of the step at which the stages are paused; null until that checkpoint exists.
const Checkpoint* Recuts::committed(const TaskId& id, const Change& change) const {
    const auto& checkpoints = context_.state().tasks.at(id).checkpoints;
    const auto last = checkpoints_.last_step(id);
    if (checkpoints.empty() || !last) return nullptr;
    const Checkpoint& newest = checkpoints.back();
    return newest.generation == change.generation && newest.step >= *last ? &newest : nullptr;
}

/// Returns an error if a snapshot that was only on secure nodes would be sent to a node that is not secure. Does not
/// check whether its operators are sensitive.
std::optional<Error> Recuts::is_kept_from(const SegmentSnapshot& part, const NodeId& to) const {
    const auto& nodes = context_.state().nodes;
    const auto is_secure = [&](const NodeId& node) { return nodes.contains(node) && nodes.at(node).info.secure; };
    if (is_secure(to) || part.nodes.empty() || !std::ranges::all_of(part.nodes, is_secure)) return std::nullopt;
    return make_error(error_text("recut-leaves-secure-nodes"), "node " + to.value(), {std::to_string(part.stage)});
}

/// Checks security before any stage is stopped for the re-cut.
Result<void> Recuts::check_security(const TaskView& task, const NextPlan& next) const {
    for (const InstanceView* one : instances_of(context_.state(), task.id))
        for (const StageOrigin& origin : next.origins) {
            if (one->stage < 0 || std::ranges::count(origin.from, one->stage) == 0) continue;
            if (const auto kept = is_kept_from({one->sid, one->stage, "", 0, {one->node}}, origin.node)) return *kept;
        }
    return {};
}

/// Transfers finished snapshots while other stages are still writing theirs. A failed transfer is noticed when the
/// snapshot is needed.
void Recuts::bring_early(const TaskId& id, Change& change) {
    for (const SegmentSnapshot& part : checkpoints_.taken(id))
        if (change.early.insert(part.hash).second) (void)bring(id, part, change);
}

/// Transfers the snapshots of a checkpoint. Stops waiting for snapshots that were sent early for a step without a
/// checkpoint.
Result<void> Recuts::bring(const TaskId& task, const Checkpoint& from, Change& change) {
    const auto is_of_another = [&](const auto& blob) {
        return std::ranges::none_of(from.parts, [&](const auto& part) { return part.hash == blob.first; });
    };
    for (const auto& [hash, to] : change.awaited)
        if (is_of_another(std::pair(hash, to))) (void)transfers_.withdraw(hash, to, *this, change.order);
    std::erase_if(change.awaited, is_of_another);
    for (const SegmentSnapshot& part : from.parts) DIVISI_TRY(bring(task, part, change));
    return {};
}

/// Transfers a snapshot to the nodes whose stages start from it, unless they have it. Sends only the values that these
/// stages need.
Result<void> Recuts::bring(const TaskId& task, const SegmentSnapshot& part, Change& change) {
    for (const StageOrigin& origin : change.next.origins) {
        if (std::ranges::count(origin.from, part.stage) == 0) continue;
        if (const auto from_secure = is_kept_from(part, origin.node)) return *from_secure;
        DIVISI_TRY(bring(part.hash, part.nodes, origin.node, change, moved_values(task, part, origin.node, change)));
    }
    return {};
}

/// Returns the names of the values from which the node's stages start. Returns none if the whole snapshot goes to the
/// node as the checkpoint's own copy, or if the needed values are unknown or too many.
std::vector<std::string> Recuts::moved_values(const TaskId& task, const SegmentSnapshot& part, const NodeId& to,
                                              const Change& change) const {
    if (part.nodes.empty() || snapshot_neighbour(context_, task, part.nodes.front(), {}) == to) return {};
    const auto& begins_with = change.next.plan.begins_with;
    std::set<std::string> values;
    for (std::size_t stage = 0; stage < change.next.origins.size(); ++stage) {
        const StageOrigin& origin = change.next.origins[stage];
        if (origin.node != to || std::ranges::count(origin.from, part.stage) == 0) continue;
        if (stage >= begins_with.size() || begins_with[stage].empty()) return {};
        values.insert(begins_with[stage].begin(), begins_with[stage].end());
    }
    std::size_t bytes = 0;
    for (const std::string& value : values) bytes += value.size();
    if (values.size() > most_selected_values || bytes > most_selected_bytes) return {};
    return {values.begin(), values.end()};
}

/// Returns an upper bound for the transferred bytes: weights, and snapshots for nodes that do not already hold them as
/// copies of the checkpoint.
Bytes Recuts::expected(const Checkpoint& from, const Change& change) const {
    Change::Blobs blobs = change.arrived;
    blobs.insert(change.awaited.begin(), change.awaited.end());
    Bytes all = change.brought;
    for (const SegmentSnapshot& part : from.parts)
        for (const auto& [hash, to] : blobs)
            if (hash == part.hash && !has_blob(part.nodes, to)) all += part.size;
    return all;
}

/// Returns the number of transferred bytes of snapshots, without the checkpoint's own copies.
Bytes Recuts::travelled(const Checkpoint& from, const Change& change) const {
    Bytes all = 0;
    for (const SegmentSnapshot& part : from.parts)
        for (const auto& [blob, size] : change.sizes) {
            const bool is_copy = size >= part.size && has_blob(part.nodes, blob.second);
            if (blob.first == part.hash && !is_copy) all += size;
        }
    return all;
}

/// Transfers the file of an imported model to stages that did not read it before. The file holds the values that are
/// not trained.
Result<void> Recuts::bring_weights(const TaskView& task, Change& change) {
    std::vector<NodeId> have;
    for (const InstanceView* one : instances_of(context_.state(), task.id))
        if (std::ranges::count(change.next.plan.weighted_before, one->stage) > 0) have.push_back(one->node);
    for (const FileRef& file : task.files) {
        if (file.purpose != "weights" || file.hash.empty()) continue;
        for (const std::int32_t stage : change.next.plan.weighted) {
            const std::size_t before = change.awaited.size();
            DIVISI_TRY(bring(file.hash, have, change.next.origins[static_cast<std::size_t>(stage)].node, change));
            if (change.awaited.size() > before) change.brought += file.size;
        }
    }
    return {};
}

/// Returns whether the node is one of `nodes` or shares a blob store with one of them.
bool Recuts::has_blob(const std::vector<NodeId>& nodes, const NodeId& node) const {
    const auto& all = context_.state().nodes;
    const std::string& store = all.at(node).info.blob_endpoint;
    return std::ranges::any_of(nodes, [&](const NodeId& one) {
        return one == node || (!store.empty() && all.at(one).info.blob_endpoint == store);
    });
}

Result<void> Recuts::bring(const std::string& hash, const std::vector<NodeId>& from, const NodeId& to, Change& change,
                           std::vector<std::string> values) {
    if (has_blob(from, to) || change.awaited.contains({hash, to}) || change.arrived.contains({hash, to})) return {};
    const auto source =
        std::ranges::find_if(from, [&](const NodeId& node) { return context_.sessions().of(node).has_value(); });
    if (source == from.end()) return make_error(error_text("recut-source-away"), "node " + to.value());
    DIVISI_TRY(transfers_.bring(hash, *source, to, *this, std::move(values), change.order));
    change.awaited.emplace(hash, to);
    return {};
}

void Recuts::arrived(const std::string& hash, const NodeId& to, std::uint64_t order, Bytes size) {
    for (auto& [task, change] : changes_)
        if (change.order == order && change.awaited.contains({hash, to})) change.sizes[{hash, to}] = size;
}

/// Handles the end of a transfer. Checks the order number, since two tasks may share a snapshot and need different
/// parts of it on one node.
void Recuts::brought(const std::string& hash, const NodeId& to, std::uint64_t order,
                     const std::optional<Error>& error) {
    for (auto& [task, change] : changes_) {
        if (change.order != order || change.awaited.erase({hash, to}) == 0) continue;
        if (!error) change.arrived.emplace(hash, to);
        // While the checkpoint is awaited, a failure is harmless: the snapshot is ordered again when it is needed.
        else if (change.stage != Stage::checkpoint) change.failure = error;
    }
}

/// Puts the new plan into force within one round of the main loop, so that clients never see an intermediate state.
void Recuts::take_force(const TaskId& id, Change& change) {
    const TaskView& task = context_.state().tasks.at(id);
    const auto is_from = [&](const Checkpoint& one) { return one.step == change.next.step; };
    const auto from = std::find_if(task.checkpoints.rbegin(), task.checkpoints.rend(), is_from);
    if (!trains_now(task) || from == task.checkpoints.rend())
        return refuse(id, make_error(error_text("recut-task-waits"), id.value()));
    // Room that was free at planning may belong to another task by now.
    std::vector<NodeId> nodes;
    std::set<NodeId> held;
    for (std::size_t stage = 0; stage < change.next.origins.size(); ++stage) {
        nodes.push_back(change.next.origins[stage].node);
        if (context_.state().instances.at(change.next.processes[stage]).stage == standby_stage)
            held.insert(nodes.back());
    }
    const auto fits =
        check_next_nodes(context_.state(), queue_.use(), task, change.next.plan, nodes, context_.now(), held);
    if (!fits) return refuse(id, fits.error());
    change.again = std::max<std::int64_t>(task.step - change.next.step, 0);
    if (!change.stood) change.stood = context_.lived();
    change.brought += travelled(*from, change);
    change.stage = Stage::in_force;
    recovery_.recut(id, change.next);
    checkpoints_.let_go(id);
}

// --- completion ---------------------------------------------------------------------------------

void Recuts::finish(const TaskId& id) {
    const TaskView& task = context_.state().tasks.at(id);
    const Change change = std::move(changes_.extract(id).mapped());
    if (change.moves) moved_[id] = std::nullopt;
    const double stall_ms = to_ms(context_.lived() - change.stood.value_or(context_.lived()));
    answer(change, RecutDone{task.plan_hash, task.cuts, task.generation, change.next.step, change.again, change.brought,
                             stall_ms});
}

void Recuts::refuse(const TaskId& id, Error error) {
    const Change change = std::move(changes_.extract(id).mapped());
    const bool accepted = change.stage > Stage::planning && change.stage < Stage::in_force;
    if (!change.moves && (accepted || change.unasked))  // the class that ordered a move logs its result
        context_.append(Noted{Severity::warning, "orchestrator", id.value(), "is not re-cut: " + error.message()});
    if (accepted) {
        for (const auto& [hash, to] : change.awaited) (void)transfers_.withdraw(hash, to, *this, change.order);
        recovery_.give_up_recut(id);
        const auto task = context_.state().tasks.find(id);
        if (task != context_.state().tasks.end() && task->second.runs()) forget_prepared(task->second, change);
        checkpoints_.let_go(id);
    }
    if (change.moves) moved_[id] = error;
    answer(change, Refused{std::move(error)});
}

void Recuts::answer(const Change& change, Message message) {
    if (!change.unasked && context_.sessions().contains(change.peer))
        context_.answer({change.peer, change.correlation, {}}, std::move(message));
}

std::optional<TimePoint> Recuts::next_deadline() const {
    std::optional<TimePoint> next;
    for (const auto& [task, change] : changes_)
        if (change.stage < Stage::in_force && (!next || change.deadline < *next)) next = change.deadline;
    return next;
}

}  // namespace divisi::control::inline change
