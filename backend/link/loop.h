// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "backend/base/clock.h"

namespace divisi::link {

/// One thread's events: timers and posted tasks. EventLoop uses the machine's clock, SimLoop a simulated one. Code
/// written against Loop runs on both.
class Loop : public Clock {
public:
    using Task = std::function<void()>;
    using TimerId = std::uint64_t;

    /// Runs `task` once on the loop's thread, not before `delay` has passed. Loop thread only.
    virtual TimerId after(Duration delay, Task task) = 0;
    /// Cancels a timer; a timer that has already run or never existed is ignored. Loop thread only.
    virtual void cancel(TimerId id) = 0;
    /// Runs `task` soon on the loop's thread; posted tasks run in order. Any thread may call this.
    virtual void post(Task task) = 0;
};

/// A timer that is cancelled when its owner is destroyed, so its task never accesses a destroyed object.
class Timer {
public:
    explicit Timer(Loop& loop) : loop_(loop) {}
    ~Timer() { stop(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Runs `task` once after `delay`, replacing a task that was set before.
    void start(Duration delay, Loop::Task task) {
        stop();
        id_ = loop_.after(delay, [this, run = std::move(task)] {
            id_ = 0;
            run();
        });
    }
    void stop() {
        if (id_ != 0) loop_.cancel(id_);
        id_ = 0;
    }
    bool active() const { return id_ != 0; }

private:
    Loop& loop_;
    Loop::TimerId id_ = 0;
};

}  // namespace divisi::link
