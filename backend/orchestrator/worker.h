// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "backend/control/protocol/jobs.h"
#include "backend/control/protocol/message.h"

namespace divisi::orchestrator {

/// Runs jobs one after the other on a separate thread, so that heartbeats and steps need not wait.
class Worker {
public:
    using Do = std::function<control::JobDone::Answer(const control::Job::What&, const std::stop_token&)>;
    using Done = std::function<void(control::JobDone)>;

    /// Both functions are called on the worker's thread.
    Worker(Do work, Done done);
    /// Asks the running job to stop and waits for its end; drops the waiting jobs.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Queues a job. The core limits the number of waiting jobs.
    void add(control::Job job);

private:
    void run(const std::stop_token& stop);

    Do work_;
    Done done_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<control::Job> waiting_;  ///< jobs that wait; guarded by the mutex
    std::jthread thread_;               ///< declared last, because it uses the other members
};

}  // namespace divisi::orchestrator
