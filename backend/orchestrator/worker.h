// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "backend/control/protocol/jobs.h"

namespace divisi::orchestrator {

/// Does jobs on a thread of its own, one after the other, so that heartbeats and steps need not wait.
class Worker {
public:
    using Do = std::function<control::JobDone::Answer(const control::Job::What&, const std::stop_token&)>;
    using Done = std::function<void(control::JobDone)>;

    /// Both are called on the thread.
    Worker(Do work, Done done);
    /// Asks the job under way to stop and waits for it; what waits is not done.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// The core bounds how many wait.
    void add(control::Job job);

private:
    void run(const std::stop_token& stop);

    Do work_;
    Done done_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<control::Job> waiting_;  ///< behind the mutex
    std::jthread thread_;               ///< last: it uses the others
};

}  // namespace divisi::orchestrator
