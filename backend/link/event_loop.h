// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "backend/link/loop.h"

namespace divisi::link {

/// The machine's clock: wall time at the start of the process, advanced by the steady clock, so that it
/// neither jumps nor runs backwards.
class SystemClock final : public Clock {
public:
    SystemClock();
    TimePoint now() const override;

private:
    std::int64_t offset_ns_ = 0;
};

/// One thread that waits for sockets, file descriptors and timers and calls back. Everything but post() and
/// stop() must be called on the thread of run(), or before it.
class EventLoop final : public Loop {
public:
    using Callback = Task;

    EventLoop();
    ~EventLoop() override;
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    const Clock& clock() const { return clock_; }
    TimePoint now() const override { return clock_.now(); }

    /// `socket` is a ZeroMQ socket. `readable` must drain it: it is called while ZMQ_EVENTS has POLLIN.
    void watch_socket(void* socket, Callback readable);
    void unwatch_socket(void* socket);
    /// Calls back also while the socket has room to send, for who found it full.
    void want_write(void* socket, bool wanted);
    void watch_fd(int fd, Callback readable);
    void unwatch_fd(int fd);

    TimerId after(Duration delay, Callback callback) override;
    TimerId every(Duration interval, Callback callback);
    void cancel(TimerId timer) override;

    /// Any thread: runs `callback` on the loop's thread, soon.
    void post(Callback callback) override;
    /// Any thread: run() returns after the callbacks under way.
    void stop();

    /// Hears after every round how long its callbacks took; the time that the loop waits is not counted.
    void on_round(std::function<void(Duration)> heard) { on_round_ = std::move(heard); }

    void run();

private:
    struct Timer {
        TimePoint due;
        Duration interval{};
        Callback callback;
    };

    void run_posted();
    void run_timers();
    void poll_once();
    void end_round();
    long poll_timeout_ms() const;

    SystemClock clock_;
    struct Watched {
        std::shared_ptr<Callback> callback;
        bool write = false;
    };
    std::map<void*, Watched> sockets_;
    std::map<int, std::shared_ptr<Callback>> fds_;
    std::map<TimerId, Timer> timers_;
    TimerId next_timer_ = 1;
    int wake_fd_ = -1;
    std::mutex mutex_;
    std::vector<Callback> posted_;
    bool stop_ = false;
    std::function<void(Duration)> on_round_;
    TimePoint round_began_{};
};

}  // namespace divisi::link
