// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/courier.h"

namespace divisi::client {

Courier::Courier() : thread_([this] { serve(); }) {}

Courier::~Courier() {
    {
        const std::lock_guard lock(mutex_);
        cancelled_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Courier::run(Work work) {
    {
        const std::lock_guard lock(mutex_);
        works_.push_back(std::move(work));
    }
    wake_.notify_one();
}

void Courier::serve() {
    while (true) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return cancelled_ || !works_.empty(); });
        if (cancelled_) return;
        const Work work = std::move(works_.front());
        works_.pop_front();
        lock.unlock();
        work(cancelled_);
    }
}

}  // namespace divisi::client
