// SPDX-License-Identifier: Apache-2.0
#include "backend/orchestrator/worker.h"

namespace divisi::orchestrator {

Worker::Worker(Do work, Done done)
    : work_(std::move(work)), done_(std::move(done)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

Worker::~Worker() = default;

void Worker::add(control::Job job) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(job));
    }
    changed_.notify_one();
}

void Worker::run(const std::stop_token& stop) {
    while (true) {
        control::Job job;
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) return;
            job = std::move(waiting_.front());
            waiting_.pop_front();
        }
        auto answer = work_(job.what, stop);
        if (stop.stop_requested()) return;
        done_({job.id, std::move(answer)});
    }
}

}  // namespace divisi::orchestrator
