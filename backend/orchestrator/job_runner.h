// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backend/base/clock.h"
#include "backend/orchestrator/worker.h"
#include "backend/store/event_log.h"
#include "backend/store/line_log.h"

namespace divisi::orchestrator {

/// Searches that take longer end with a message: others wait behind them.
inline constexpr Duration longest_segmentation = std::chrono::seconds(60);

/// What jobs are done with.
struct JobTools {
    std::filesystem::path data;             ///< with what was measured
    std::vector<std::string> secure_nodes;  ///< may run operators that a task marks as sensitive
    std::unique_ptr<store::EventLog> log;   ///< opened to read
    std::unique_ptr<store::LineLog> lines;  ///< likewise; none where it could not be opened
};

/// Does the orchestrator's jobs beside its loop. Each kind has a worker of its own: a submission waits neither for
/// somebody's search for the best plan nor for one through the log.
class JobRunner {
public:
    /// `done` is called on the workers' threads.
    JobRunner(JobTools tools, const Worker::Done& done);
    void add(control::Job job);

private:
    control::JobDone::Answer perform(const control::Segmentation& job, const std::stop_token& stop) const;
    control::JobDone::Answer perform(const control::Planning& job, const std::stop_token& stop) const;
    control::JobDone::Answer perform(const control::QueryLog& job, const std::stop_token& stop) const;
    control::JobDone::Answer perform(const control::QueryLines& job, const std::stop_token& stop) const;
    control::JobDone::Answer perform(const control::PolicyTrialJob& job, const std::stop_token& stop) const;
    control::JobDone::Answer perform(const control::BackUp& job, const std::stop_token& stop) const;
    control::JobDone::Answer perform(const control::RecutTrialJob& job, const std::stop_token& stop) const;

    JobTools tools_;
    std::vector<std::unique_ptr<Worker>> workers_;  ///< by the job's kind; last: they use the tools
};

}  // namespace divisi::orchestrator
