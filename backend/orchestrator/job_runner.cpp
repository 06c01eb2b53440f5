// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/job_runner.h"

#include <chrono>

#include "backend/base/version.h"
#include "backend/orchestrator/plan_task.h"
#include "backend/orchestrator/trial_player.h"
#include "backend/store/backup.h"

namespace divisi::orchestrator {

using control::JobDone;

JobRunner::JobRunner(JobTools tools, const Worker::Done& done) : tools_(std::move(tools)) {
    const auto work = [this](const control::Job::What& what, const std::stop_token& stop) {
        return visit([&](const auto& job) { return perform(job, stop); }, what);
    };
    for (std::size_t kind = 0; kind < std::variant_size_v<control::Job::What>; ++kind)
        workers_.push_back(std::make_unique<Worker>(work, done));
}

void JobRunner::add(control::Job job) { workers_[job.what.index()]->add(std::move(job)); }

JobDone::Answer JobRunner::perform(const control::Segmentation& job, const std::stop_token& stop) const {
    using Stopwatch = std::chrono::steady_clock;
    const auto end = Stopwatch::now() + longest_segmentation;
    return segment_model(job, tools_.data, [&] { return stop.stop_requested() || Stopwatch::now() > end; });
}

JobDone::Answer JobRunner::perform(const control::Planning& job, const std::stop_token&) const {
    return plan_task(*job.submission, tools_.secure_nodes, job.before);
}

JobDone::Answer JobRunner::perform(const control::QueryLog& job, const std::stop_token&) const {
    return tools_.log->query(job);
}

JobDone::Answer JobRunner::perform(const control::QueryLines& job, const std::stop_token&) const {
    if (tools_.lines) return tools_.lines->query(job);
    return Result<control::LinesPage>(Error{ErrorCode::unavailable, "the orchestrator keeps no log lines", "divisid",
                                            "see what the orchestrator printed at its start; events are still logged"});
}

JobDone::Answer JobRunner::perform(const control::PolicyTrialJob& job, const std::stop_token& stop) const {
    return play_policy(job, tools_.data, [&] { return stop.stop_requested(); });
}

JobDone::Answer JobRunner::perform(const control::BackUp& job, const std::stop_token& stop) const {
    return [&]() -> Result<control::BackedUp> {
        const auto begin = std::chrono::steady_clock::now();
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        DIVISI_ASSIGN(
            const store::BackupManifest made,
            store::make_backup({tools_.data, job.folder, version, TimePoint(std::chrono::duration_cast<Duration>(now)),
                                [&] { return stop.stop_requested(); }}));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        return control::BackedUp{job.folder, made.sequence, static_cast<std::int64_t>(made.files.size()), made.bytes(),
                                 took.count()};
    }();
}

JobDone::Answer JobRunner::perform(const control::RecutTrialJob& job, const std::stop_token& stop) const {
    using Stopwatch = std::chrono::steady_clock;
    const auto end = Stopwatch::now() + longest_segmentation;
    return play_recut(job, tools_.data, [&] { return stop.stop_requested() || Stopwatch::now() > end; });
}

}  // namespace divisi::orchestrator
