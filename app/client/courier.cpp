// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/courier.h"

namespace divisi::client {

Courier::Courier() : thread_([this] { serve(); }) {}

Courier::~Courier() {
    cancel();
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Courier::run(Work work) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back({std::move(work), std::make_shared<std::atomic<bool>>(false)});
    }
    wake_.notify_one();
}

void Courier::cancel() {
    const std::lock_guard lock(mutex_);
    for (const Job& job : jobs_) *job.cancelled = true;
}

void Courier::serve() {
    while (true) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
        if (ended_) return;
        const Job job = jobs_.front();
        lock.unlock();
        job.work(*job.cancelled);
        lock.lock();
        jobs_.pop_front();
    }
}

}  // namespace divisi::client
