// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace divisi::client {

/// Runs long jobs, such as hashing and sending files, one after the other on a separate thread. The connection's thread
/// thus remains free to receive. A job returns its result by posting it to the loop of the connection's thread.
class Courier {
public:
    using Work = std::function<void(const std::atomic<bool>& cancelled)>;

    Courier();
    /// Cancels the running job and drops the waiting ones.
    ~Courier();
    void run(Work work);
    /// Cancels the running and waiting jobs. Each waiting job is nevertheless called, so that it can report the
    /// cancellation.
    void cancel();

private:
    struct Job {
        Work work;
        std::shared_ptr<std::atomic<bool>> cancelled;
    };
    void serve();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;  ///< the running job, followed by the waiting jobs
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace divisi::client
