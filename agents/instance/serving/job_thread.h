// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <thread>

namespace divisi::instance {

/// Runs jobs one after another, each on a separate thread. A job that is started while another job runs begins when
/// that job has ended; the caller does not wait. Used only by the loop's thread.
class JobThread {
public:
    JobThread() = default;
    ~JobThread() { join(); }
    JobThread(const JobThread&) = delete;
    JobThread& operator=(const JobThread&) = delete;

    void start(std::function<void()> job);
    /// Waits until all jobs have ended.
    void join();

private:
    std::thread thread_;  ///< thread of the last job, which joins the thread of the previous job
};

}  // namespace divisi::instance
