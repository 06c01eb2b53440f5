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

/// The machine's clock: wall time at the start of the process, advanced by the steady clock. The clock neither jumps
/// nor runs backwards.
class SystemClock final : public Clock {
public:
    SystemClock();
    TimePoint now() const override;

private:
    std::int64_t offset_ns_ = 0;
};

/// Runs callbacks for sockets, file descriptors and timers on one thread. All functions except post() and stop() must
/// be called on the thread of run(), or before run().
class EventLoop final : public Loop {
public:
    using Callback = Task;

    EventLoop();
    ~EventLoop() override;
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    const Clock& clock() const { return clock_; }
    TimePoint now() const override { return clock_.now(); }

    /// Calls `readable` in every round in which the ZeroMQ socket's ZMQ_EVENTS has POLLIN.
    void watch_socket(void* socket, Callback readable);
    void unwatch_socket(void* socket);
    /// If `wanted`, also calls back when the socket has room to send. Used after a sender found the socket full.
    void want_write(void* socket, bool wanted);
    void watch_fd(int fd, Callback readable);
    void unwatch_fd(int fd);

    TimerId after(Duration delay, Callback callback) override;
    TimerId every(Duration interval, Callback callback);
    void cancel(TimerId timer) override;

    /// Runs `callback` soon on the loop's thread. Any thread may call this.
    void post(Callback callback) override;
    /// Makes run() return after the callbacks that are running or posted. Any thread may call this.
    void stop();

    /// Sets a callback that receives, after every round, the total duration of the round's callbacks. The loop's
    /// waiting time is excluded.
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
