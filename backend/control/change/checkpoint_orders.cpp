// SPDX-License-Identifier: Apache-2.0
// Which step's end is the next at which the stages of a task take snapshots, where they do not count steps themselves.
#include <algorithm>
#include <cmath>

#include "backend/control/change/checkpoints.h"
#include "backend/control/queue/checkpoint_interval.h"
#include "backend/control/state/curve.h"
#include "backend/task/compile.h"
#include "backend/task/parse.h"

namespace divisi::control::inline change {
namespace {

using Every = task::CheckpointRule::Every;

/// Of the last steps; one alone may have waited for something.
constexpr std::size_t steps_for_lead = 5;
/// A task that takes less than a microsecond a step is a jest, and a number of steps must fit its counter.
constexpr double most_lead_steps = 100'000;
/// Far beyond any that is meant; what is longer would not fit a Duration.
constexpr std::int64_t longest_seconds = std::int64_t{365} * 24 * 3600;
/// Nobody's copy out of memory takes as long.
constexpr double longest_copy_ms = 3.6e6;

bool is_batch(const TaskView& task) {
    const auto spec = task::parse_task(task.text, task.id.value());
    return spec && task::is_batch(*spec);
}

bool is_training(const TaskView& task) { return task.phase == TaskPhase::exchange && !task.ending; }

/// Stages take a snapshot of this step by themselves. Who has done it does not say that an order to stand there came
/// too late. Where every step is one there is no other to name.
bool is_counted(const TaskView& task, std::int64_t step) {
    return task.checkpoint.every == Every::steps && task.checkpoint.count > 1 && step % task.checkpoint.count == 0;
}

}  // namespace

void Checkpoints::arm(const TaskId& id) {
    const auto found = desk_.state().tasks.find(id);
    if (found == desk_.state().tasks.end() || !is_training(found->second)) return;
    const TaskView& task = found->second;
    if (task.checkpoint.every != Every::seconds && task.checkpoint.every != Every::automatic) return;
    if (const auto care = cares_.find(id); care != cares_.end() && care->second.due) return;
    if (is_batch(task)) return;
    Care& care = cares_[id];
    care.ordered_at = desk_.lived();
    care.due = desk_.lived() + interval(task, care);
}

Duration Checkpoints::interval(const TaskView& task, const Care& care) const {
    if (task.checkpoint.every == Every::seconds)
        return std::chrono::seconds(std::clamp<std::int64_t>(task.checkpoint.count, 1, longest_seconds));
    if (!care.cost) return first_checkpoint;
    std::set<NodeId> nodes;
    for (const InstanceView* stage : stages_of(desk_.state(), task.id)) nodes.insert(stage->node);
    std::vector<NodeFaults> faults;
    for (const NodeId& node : nodes)
        if (const auto view = desk_.state().nodes.find(node); view != desk_.state().nodes.end())
            faults.push_back(view->second.faults);
    return checkpoint_interval(*care.cost, mean_time_between_faults(faults, desk_.now()));
}

std::int64_t Checkpoints::lead(const TaskView& task, const Care& care) const {
    const double step_ms = recent_step_ms(task.history, steps_for_lead);
    const double steps = step_ms > 0 ? std::min(std::ceil(to_ms(order_lead) / step_ms), most_lead_steps) : 0;
    return std::max(order_lead_steps, static_cast<std::int64_t>(steps)) * care.lateness;
}

/// One that is on its way is as good as another; so is that at which the stages stand, beyond which no other is taken.
Result<std::int64_t> Checkpoints::order(const TaskId& id) {
    const auto found = desk_.state().tasks.find(id);
    if (found == desk_.state().tasks.end()) return desk_.no_such_task(id);
    const TaskView& task = found->second;
    if (!is_training(task))
        return Error{ErrorCode::conflict,
                     std::string("the task does not train now; it is in its phase ") + to_string(task.phase),
                     id.value(), "order a checkpoint of a task that trains"};
    if (is_batch(task))
        return Error{ErrorCode::unsupported, "a batch learns nothing that could be kept", id.value(),
                     "order a checkpoint of a task that trains"};
    Care& care = cares_[id];
    if (const auto last = last_step(id)) return *last;
    if (care.ordered && !care.reached) return *care.ordered;
    return order(task, care);
}

/// One that is on its way may have been ordered too long ago for them to stand there.
Result<std::int64_t> Checkpoints::order_last(const TaskId& id) {
    Care& care = cares_[id];
    care.last = 0;  // until it is known
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

/// Whether the checkpoint is there, or on its way, at which the stages stand.
bool Checkpoints::comes(const TaskView& task, const Care& care) const {
    if (!care.last) return false;
    const auto step = care.steps.find(*care.last);
    const bool gathered = step != care.steps.end() && !step->second.given_up;
    return care.ordered == care.last || gathered || last_commit(task) >= *care.last;
}

/// Also while the task waits for one that is away: the others stand as they were told, and nobody else tells them.
void Checkpoints::go_on(const TaskId& id, Care& care) {
    care.last.reset();
    const TaskView& task = task_of(id);
    if (!task.runs() || task.ending) return;
    for (const InstanceView* stage : stages_of(desk_.state(), id))
        desk_.tell(stage->id, HoldSteps{id, task.generation, 0});
}

/// Nobody stands still for a checkpoint that will not be.
void Checkpoints::go_on_in_vain() {
    for (auto& [id, care] : cares_)
        if (care.last && !comes(task_of(id), care)) go_on(id, care);
}

/// At whose end they are taken; `unavailable` while a stage is away, `conflict` where the task ends before.
Result<std::int64_t> Checkpoints::order(const TaskView& task, Care& care) {
    const auto stages = stages_of(desk_.state(), task.id);
    for (const InstanceView* stage : stages)
        if (!desk_.sessions().of(stage->id))
            return Error{ErrorCode::unavailable, "a stage is away", stage->id.value(), "try again when it is back"};
    std::int64_t step = std::max(task.step, last_commit(task)) + lead(task, care);
    // What was ordered before stages have as they have what they count.
    const auto is_known = [&] { return is_counted(task, step) || care.ordered == step || care.steps.contains(step); };
    while (care.last && is_known()) ++step;
    if (step >= task.steps)
        return Error{ErrorCode::conflict, "the task ends before a checkpoint can be made", task.id.value(),
                     "its weights are stored then"};
    for (const InstanceView* stage : stages) {
        if (care.last) desk_.tell(stage->id, HoldSteps{task.id, task.generation, step});
        desk_.tell(stage->id, TakeSnapshot{task.id, task.generation, step});
    }
    if (care.last) care.last = step;
    care.ordered = step;
    care.ordered_at = desk_.lived();
    care.reached.reset();
    if (care.due) care.due = desk_.lived() + interval(task, care);
    return step;
}

void Checkpoints::order_due(const TaskView& task, Care& care) {
    const auto ordered = order(task, care);
    if (ordered) return;
    if (ordered.error().code == ErrorCode::conflict) care.due.reset();
    else care.due = desk_.lived() + shortest_checkpoint_interval;
}

/// Stages were further than the last report said.
void Checkpoints::order_again(const TaskView& task, Care& care) {
    if (care.lateness >= most_lateness)
        return note(task.id, "no checkpoint, since stages have done the step already that is ordered " +
                                 std::to_string(lead(task, care)) + " steps ahead");
    care.lateness *= 2;
    (void)order(task, care);  // where there is none it is due again after the interval, as ever
}

void Checkpoints::step_done(const TaskId& task) {
    const auto found = cares_.find(task);
    if (found == cares_.end()) return;
    Care& care = found->second;
    if (care.ordered && !care.reached && task_of(task).step >= *care.ordered) care.reached = desk_.lived();
}

void Checkpoints::measured(const TaskView& task, Care& care, double copy_ms) {
    const std::chrono::duration<double, std::milli> cost(std::min(copy_ms, longest_copy_ms));
    care.cost = std::chrono::duration_cast<Duration>(cost);
    if (care.due && task.checkpoint.every == Every::automatic)
        care.due = std::max(desk_.lived(), care.ordered_at + interval(task, care));
}

void Checkpoints::order_over(Care& care) {
    care.ordered.reset();
    care.reached.reset();
}

/// One that is under way is waited for.
std::optional<TimePoint> Checkpoints::next_order(const TaskView& task, const Care& care) {
    if (!care.due || !is_training(task) || care.last) return std::nullopt;
    if (!care.ordered) return care.due;
    if (!care.reached) return std::nullopt;
    return std::max(*care.due, *care.reached + order_patience);
}

}  // namespace divisi::control::inline change
