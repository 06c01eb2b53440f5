// SPDX-License-Identifier: Apache-2.0
#include "agents/instance/serving/job_thread.h"

#include <utility>

namespace divisi::instance {

void JobThread::start(std::function<void()> job) {
    thread_ = std::thread([before = std::exchange(thread_, std::thread()), job = std::move(job)]() mutable {
        if (before.joinable()) before.join();
        job();
    });
}

void JobThread::join() {
    if (thread_.joinable()) thread_.join();
}

}  // namespace divisi::instance
