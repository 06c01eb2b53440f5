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

/// Time limit of a search, because other requests wait for it. A longer search ends with an error.
inline constexpr Duration longest_segmentation = std::chrono::seconds(60);

/// Resources that jobs use.
struct JobTools {
    std::filesystem::path data;             ///< folder with the measured prices
    std::vector<std::string> secure_nodes;  ///< nodes that may run operators a task marks as sensitive
    std::unique_ptr<store::EventLog> log;   ///< log of events, opened for reading
    std::unique_ptr<store::LineLog> lines;  ///< log of lines, opened for reading; null if it could not be opened
};

/// Runs the orchestrator's jobs outside its event loop. Each kind of job has its own worker. A submission therefore
/// never waits for a search for the best plan or for a search through the log.
class JobRunner {
public:
    /// `done` is called on the worker threads.
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
    /// one worker for each kind of job; declared last, because workers use the tools
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace divisi::orchestrator
