// SPDX-License-Identifier: Apache-2.0
// Requests that are answered later: planning and searching the log take longer than heartbeats and steps may wait.
#include "backend/control/door.h"
#include "backend/control/orchestrator.h"
#include "backend/task/parse.h"

namespace divisi::control {

void Orchestrator::begin(const Received& received, Job::What what, JobLimit limit) {
    auto job = jobs_.open({received.peer, received.correlation}, std::move(what), limit);
    if (job) output_.jobs.push_back(*std::move(job));
    else refuse(received, job.error());
}

void Orchestrator::on(const JobDone& input) {
    const auto asked = jobs_.close(input.id);
    if (!asked) return;
    const auto* plan = std::get_if<Result<PlanSummary>>(&input.answer);
    if (!asked->queued.value().empty()) return plan ? planned_again(asked->queued, *plan) : void();
    if (!peers_.contains(asked->peer)) return;  // a task that nobody was told of is not queued
    if (plan) return submit(*asked, *plan);
    std::visit(
        [&](const auto& result) {
            if constexpr (!std::is_same_v<decltype(result), const Result<PlanSummary>&>) {
                const Received received{asked->peer, asked->correlation, {}};
                if (!result) refuse(received, result.error());
                else if (received.correlation != 0) answer(received, *result);
            }
        },
        input.answer);
}

void Orchestrator::handle(const Received& received, const QueryLog& message) {
    begin(received, message, limits_.log_queries);
}

/// Bad fields are named at once; what is left is planned beside the loop, since a search may take its time.
void Orchestrator::handle(const Received& received, const SegmentModel& message) {
    std::vector<Error> errors = task::split_errors(message.split);
    if (!errors.empty()) {
        Refused refused{errors.front(), {std::next(errors.begin()), errors.end()}};
        if (received.correlation != 0) answer(received, std::move(refused));
        return;
    }
    ClusterState nodes;
    nodes.name = state_.name;
    nodes.nodes = state_.nodes;
    nodes.links = state_.links;
    nodes.stated_links = state_.stated_links;
    begin(received, Segmentation{message, std::move(nodes)}, limits_.segmentations);
}

/// Takes the place in the queue now; the task is queued when it is planned.
void Orchestrator::handle(const Received& received, const SubmitTask& message) {
    if (auto fits = check_submission(message); !fits) return refuse(received, fits.error());
    const std::size_t planning = jobs_.count<Planning>();
    if (auto room = check_queue(state_, message, planning, limits_.queued_tasks); !room)
        return refuse(received, room.error());
    auto submission = std::make_shared<const SubmitTask>(message);
    const JobLimit limit{limits_.queued_tasks, limits_.queued_tasks};
    auto job = jobs_.open({received.peer, received.correlation, submission}, Planning{submission}, limit);
    if (job) output_.jobs.push_back(*std::move(job));
    else refuse(received, job.error());
}

void Orchestrator::submit(const JobBook::Asked& asked, const Result<PlanSummary>& planned) {
    const SubmitTask& message = *asked.submission;
    const Received received{asked.peer, asked.correlation, {}};
    if (!planned) return refuse(received, planned.error());
    PlanSummary plan = *planned;
    const auto nodes = place_plan(state_, plan, node_use());
    if (!nodes) return refuse(received, nodes.error());
    auto wanted = uploads(asked.peer, plan, *nodes, message.files);
    if (!wanted) return refuse(received, wanted.error());

    const TaskId id = next_task_id(state_, plan.name);
    name_units(plan, id);
    TaskSubmitted submitted{id, plan.name,     message.text,         message.folder,
                            "", message.files, message.submitted_by, plan.priority};
    submitted.skeleton = skeleton_name(message.skeleton);
    TaskPlanned in_force{id, 1, plan.cuts, plan.steps, plan.batch, plan.model, plan.plan_hash, {}};
    for (const PlannedUnit& unit : plan.units) in_force.units.push_back(unit.unit);
    if (auto fits = check_task(submitted, in_force); !fits) return refuse(received, fits.error());
    if (!message.skeleton.empty()) skeletons_[id] = message.skeleton;
    append(std::move(submitted));
    append(std::move(in_force));
    plans_[id] = std::move(plan);
    if (!wanted->empty()) deliveries_[id] = {asked.peer, *nodes, false, peers_.at(asked.peer).process};
    append(PhaseChanged{id, TaskPhase::queued, wanted->empty() ? "" : waiting_for_files});
    answer(received, SubmitReply{id, std::move(*wanted)});
}

/// A task that was queued before the orchestrator was restarted.
void Orchestrator::plan_again(const TaskView& task) {
    if (jobs_.planning(task.id)) return;
    auto submission = std::make_shared<SubmitTask>();
    submission->text = task.text;
    submission->files = task.files;
    if (const auto skeleton = skeletons_.find(task.id); skeleton != skeletons_.end())
        submission->skeleton = skeleton->second;
    const JobLimit all{limits_.queued_tasks + 1, limits_.queued_tasks + 1};
    auto job = jobs_.open({PeerId(), 0, nullptr, task.id}, Planning{std::move(submission)}, all);
    if (job) output_.jobs.push_back(*std::move(job));
}

void Orchestrator::planned_again(const TaskId& id, const Result<PlanSummary>& planned) {
    const auto task = state_.tasks.find(id);
    if (task == state_.tasks.end() || task->second.phase != TaskPhase::queued) return;  // it was stopped meanwhile
    if (!planned) return append(TaskEnded{id, Outcome::failed, planned.error()});
    PlanSummary plan = *planned;
    name_units(plan, id);
    plans_[id] = std::move(plan);
    queue_changed_ = true;
}

}  // namespace divisi::control
