// SPDX-License-Identifier: Apache-2.0
// Chooses the step at whose end the stages of a task take their next snapshots, if the stages do not count steps
// themselves.
#include <algorithm>
#include <cmath>

#include "backend/control/change/checkpoints.h"
#include "backend/control/queue/checkpoint_interval.h"
#include "backend/control/state/curve.h"
#include "backend/control/types/error_texts.h"
#include "backend/task/compile.h"
#include "backend/task/parse.h"

namespace divisi::control::inline change {
namespace {

using Every = task::CheckpointRule::Every;

/// Number of most recent steps from which the step time is estimated. One step is not enough, since it may be delayed.
constexpr std::size_t steps_for_lead = 5;
/// Upper bound for the lead in steps, so that the lead fits its counter. Only a task with less than a microsecond per
/// step would need more.
constexpr double most_lead_steps = 100'000;
/// Upper bound of an interval, far beyond any sensible one: a longer interval would not fit a Duration.
constexpr std::int64_t longest_seconds = std::int64_t{365} * 24 * 3600;
/// Upper bound, in ms, for the reported time of a copy, so that the time fits a Duration.
constexpr double longest_copy_ms = 3.6e6;

bool is_batch(const TaskView& task) {
    const auto spec = task::parse_task(task.text, task.id.value());
    return spec && task::is_batch(*spec);
}

bool is_training(const TaskView& task) { return task.phase == TaskPhase::exchange && !task.ending; }

/// Returns whether stages take a snapshot of this step by step count, without an order. Such a snapshot does not show
/// whether an order to hold at this step came too late. Returns false if every step has a checkpoint, since no other
/// step could be chosen.
bool is_counted(const TaskView& task, std::int64_t step) {
    return task.checkpoint.every == Every::steps && task.checkpoint.count > 1 && step % task.checkpoint.count == 0;
}

}  // namespace

void Checkpoints::arm(const TaskId& id) {
    const auto found = context_.state().tasks.find(id);
    if (found == context_.state().tasks.end() || !is_training(found->second)) return;
    const TaskView& task = found->second;
    if (task.checkpoint.every != Every::seconds && task.checkpoint.every != Every::automatic) return;
    if (const auto care = cares_.find(id); care != cares_.end() && care->second.due) return;
    if (is_batch(task)) return;
    Care& care = cares_[id];
    care.ordered_at = context_.lived();
    care.due = context_.lived() + interval(task, care);
}

Duration Checkpoints::interval(const TaskView& task, const Care& care) const {
    if (task.checkpoint.every == Every::seconds)
        return std::chrono::seconds(std::clamp<std::int64_t>(task.checkpoint.count, 1, longest_seconds));
    if (!care.cost) return first_checkpoint;
    std::set<NodeId> nodes;
    for (const InstanceView* stage : stages_of(context_.state(), task.id)) nodes.insert(stage->node);
    std::vector<NodeFaults> faults;
    for (const NodeId& node : nodes)
        if (const auto view = context_.state().nodes.find(node); view != context_.state().nodes.end())
            faults.push_back(view->second.faults);
    return checkpoint_interval(*care.cost, mean_time_between_faults(faults, context_.now()));
}

std::int64_t Checkpoints::lead(const TaskView& task, const Care& care) const {
    const double step_ms = recent_step_ms(task.history, steps_for_lead);
    const double steps = step_ms > 0 ? std::min(std::ceil(to_ms(order_lead) / step_ms), most_lead_steps) : 0;
    return std::max(order_lead_steps, static_cast<std::int64_t>(steps)) * care.lateness;
}

/// Returns the step of a pending checkpoint if there is one, since any checkpoint suffices. If the stages hold at that
/// step, no later checkpoint can be taken.
Result<std::int64_t> Checkpoints::order(const TaskId& id) {
    const auto found = context_.state().tasks.find(id);
    if (found == context_.state().tasks.end()) return context_.no_such_task(id);
    const TaskView& task = found->second;
    if (!is_training(task))
        return make_error(error_text("checkpoint-task-not-training"), id.value(), {to_string(task.phase)});
    if (is_batch(task)) return make_error(error_text("checkpoint-of-batch"), id.value());
    Care& care = cares_[id];
    if (const auto last = last_step(id)) return *last;
    if (care.ordered && !care.reached) return *care.ordered;
    return order(task, care);
}

/// Orders a new checkpoint even if one is pending. The pending order may have come too late for the stages to hold at
/// its step.
Result<std::int64_t> Checkpoints::order_last(const TaskId& id) {
    Care& care = cares_[id];
    care.last = 0;  // placeholder until the step is known
    auto ordered = order(task_of(id), care);
    if (!ordered) care.last.reset();
    return ordered;
}

std::optional<std::int64_t> Checkpoints::last_step(const TaskId& id) const {
    const auto found = cares_.find(id);
    return found == cares_.end() || !comes(task_of(id), found->second) ? std::nullopt : found->second.last;
}

std::vector<SegmentSnapshot> Checkpoints::taken(const TaskId& id) const {
    std::vector<SegmentSnapshot> taken;
    const auto last = last_step(id);
    if (!last) return taken;
    const auto& steps = cares_.at(id).steps;
    if (const auto step = steps.find(*last); step != steps.end())
        for (const auto& [stage, part] : step->second.parts) taken.push_back(part.snapshot);
    return taken;
}

/// Returns whether the checkpoint at which the stages hold exists or is being made.
bool Checkpoints::comes(const TaskView& task, const Care& care) const {
    if (!care.last) return false;
    const auto step = care.steps.find(*care.last);
    const bool gathered = step != care.steps.end() && !step->second.given_up;
    return care.ordered == care.last || gathered || last_commit(task) >= *care.last;
}

/// Tells the stages to continue, even if the task waits for an absent stage: the other stages still hold, and nothing
/// else releases them.
void Checkpoints::go_on(const TaskId& id, Care& care) {
    care.last.reset();
    const TaskView& task = task_of(id);
    if (!task.runs() || task.ending) return;
    for (const InstanceView* stage : stages_of(context_.state(), id))
        context_.tell(stage->id, HoldSteps{id, task.generation, 0});
}

/// Releases stages that hold for a checkpoint that will not come.
void Checkpoints::abort_pending() {
    for (auto& [id, care] : cares_)
        if (care.last && !comes(task_of(id), care)) go_on(id, care);
}

/// Orders a checkpoint and returns the step at whose end it is taken. Fails with `unavailable` if a stage is away, and
/// with `conflict` if the task ends before the step.
Result<std::int64_t> Checkpoints::order(const TaskView& task, Care& care) {
    const auto stages = stages_of(context_.state(), task.id);
    for (const InstanceView* stage : stages)
        if (!context_.sessions().of(stage->id)) return make_error(error_text("stage-away"), stage->id.value());
    std::int64_t step = std::max(task.step, last_commit(task)) + lead(task, care);
    // Skip steps whose snapshots the stages may already have: counted steps and steps ordered before.
    const auto is_known = [&] { return is_counted(task, step) || care.ordered == step || care.steps.contains(step); };
    while (care.last && is_known()) ++step;
    if (step >= task.steps) return make_error(error_text("no-checkpoint-before-end"), task.id.value());
    for (const InstanceView* stage : stages) {
        if (care.last) context_.tell(stage->id, HoldSteps{task.id, task.generation, step});
        context_.tell(stage->id, TakeSnapshot{task.id, task.generation, step});
    }
    if (care.last) care.last = step;
    care.ordered = step;
    care.ordered_at = context_.lived();
    care.reached.reset();
    if (care.due) care.due = context_.lived() + interval(task, care);
    return step;
}

void Checkpoints::order_due(const TaskView& task, Care& care) {
    const auto ordered = order(task, care);
    if (ordered) return;
    if (ordered.error().code == ErrorCode::conflict) care.due.reset();
    else care.due = context_.lived() + shortest_checkpoint_interval;
}

/// Orders the checkpoint again with a longer lead, because the stages had advanced further than their last report said.
void Checkpoints::order_again(const TaskView& task, Care& care) {
    if (care.lateness >= most_lateness)
        return note(task.id, "no checkpoint: stages had already completed the step, although it was ordered " +
                                 std::to_string(lead(task, care)) + " steps ahead");
    care.lateness *= 2;
    (void)order(task, care);  // if the order fails, the next one is due after the usual interval
}

void Checkpoints::step_done(const TaskId& task) {
    const auto found = cares_.find(task);
    if (found == cares_.end()) return;
    Care& care = found->second;
    if (care.ordered && !care.reached && task_of(task).step >= *care.ordered) care.reached = context_.lived();
}

void Checkpoints::measured(const TaskView& task, Care& care, double copy_ms) {
    const std::chrono::duration<double, std::milli> cost(std::min(copy_ms, longest_copy_ms));
    care.cost = std::chrono::duration_cast<Duration>(cost);
    if (care.due && task.checkpoint.every == Every::automatic)
        care.due = std::max(context_.lived(), care.ordered_at + interval(task, care));
}

void Checkpoints::order_over(Care& care) {
    care.ordered.reset();
    care.reached.reset();
}

/// Returns when to order the next checkpoint. Waits for a checkpoint that is under way.
std::optional<TimePoint> Checkpoints::next_order(const TaskView& task, const Care& care) {
    if (!care.due || !is_training(task) || care.last) return std::nullopt;
    if (!care.ordered) return care.due;
    if (!care.reached) return std::nullopt;
    return std::max(*care.due, *care.reached + order_patience);
}

}  // namespace divisi::control::inline change
