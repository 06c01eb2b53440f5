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

/// A thread for what takes long, such as hashing and sending files: one work after the other, so that the
/// connection's own thread goes on hearing the cluster. Works hand their result back by posting to its loop.
class Courier {
public:
    using Work = std::function<void(const std::atomic<bool>& cancelled)>;

    Courier();
    /// Cancels the work under way and drops those that wait.
    ~Courier();
    void run(Work work);
    /// The work under way and those that wait; each is still called, to say so.
    void cancel();

private:
    struct Job {
        Work work;
        std::shared_ptr<std::atomic<bool>> cancelled;
    };
    void serve();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> jobs_;  ///< the first is under way
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace divisi::client
