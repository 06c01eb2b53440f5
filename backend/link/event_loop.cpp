// SPDX-License-Identifier: Apache-2.0
#include "backend/link/event_loop.h"

#include <sys/eventfd.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <chrono>

namespace divisi::link {
namespace {

std::int64_t steady_ns() {
    return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool ready_now(void* socket, int wanted) {
    int events = 0;
    std::size_t size = sizeof events;
    return zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size) == 0 && (events & wanted);
}

}  // namespace

SystemClock::SystemClock() {
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    offset_ns_ = std::chrono::duration_cast<Duration>(wall).count() - steady_ns();
}

TimePoint SystemClock::now() const { return TimePoint(Duration(steady_ns() + offset_ns_)); }

EventLoop::EventLoop() : wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

EventLoop::~EventLoop() { ::close(wake_fd_); }

void EventLoop::watch_socket(void* socket, Callback readable) {
    sockets_[socket] = {std::make_shared<Callback>(std::move(readable)), false};
}
void EventLoop::want_write(void* socket, bool wanted) {
    if (const auto found = sockets_.find(socket); found != sockets_.end()) found->second.write = wanted;
}
void EventLoop::unwatch_socket(void* socket) { sockets_.erase(socket); }
void EventLoop::watch_fd(int fd, Callback readable) { fds_[fd] = std::make_shared<Callback>(std::move(readable)); }
void EventLoop::unwatch_fd(int fd) { fds_.erase(fd); }

EventLoop::TimerId EventLoop::after(Duration delay, Callback callback) {
    timers_[next_timer_] = {clock_.now() + delay, Duration{}, std::move(callback)};
    return next_timer_++;
}

EventLoop::TimerId EventLoop::every(Duration interval, Callback callback) {
    timers_[next_timer_] = {clock_.now() + interval, interval, std::move(callback)};
    return next_timer_++;
}

void EventLoop::cancel(TimerId timer) { timers_.erase(timer); }

void EventLoop::post(Callback callback) {
    {
        const std::lock_guard lock(mutex_);
        posted_.push_back(std::move(callback));
    }
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
}

void EventLoop::stop() {
    post([this] { stop_ = true; });
}

void EventLoop::run() {
    stop_ = false;
    round_began_ = clock_.now();
    while (!stop_) {
        run_posted();
        run_timers();
        if (!stop_) poll_once();
    }
    run_posted();
}

void EventLoop::end_round() {
    if (on_round_) on_round_(clock_.now() - round_began_);
}

void EventLoop::run_posted() {
    std::vector<Callback> posted;
    {
        const std::lock_guard lock(mutex_);
        posted.swap(posted_);
    }
    for (Callback& callback : posted) callback();
}

void EventLoop::run_timers() {
    const TimePoint now = clock_.now();
    std::vector<TimerId> due;
    for (const auto& [id, timer] : timers_)
        if (timer.due <= now) due.push_back(id);
    for (const TimerId id : due) {
        const auto found = timers_.find(id);
        if (found == timers_.end()) continue;  // cancelled by an earlier callback
        const Callback callback = found->second.callback;
        if (found->second.interval > Duration{})
            found->second.due = std::max(found->second.due + found->second.interval, now);
        else timers_.erase(found);
        callback();
    }
}

long EventLoop::poll_timeout_ms() const {
    long timeout = -1;
    for (const auto& [id, timer] : timers_) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(timer.due - clock_.now()).count();
        const long wait = std::max<long>(0, static_cast<long>(left));
        timeout = timeout < 0 ? wait : std::min(timeout, wait);
    }
    return timeout;
}

/// Waits for events once and runs the callbacks. zmq_poll is level-triggered, because it checks ZMQ_EVENTS itself. A
/// callback that leaves messages in its socket is therefore called again in the next round.
void EventLoop::poll_once() {
    std::vector<zmq_pollitem_t> items;
    std::vector<std::shared_ptr<Callback>> callbacks;
    items.push_back({nullptr, wake_fd_, ZMQ_POLLIN, 0});
    callbacks.push_back(nullptr);
    for (const auto& [socket, watched] : sockets_) {
        items.push_back({socket, 0, static_cast<short>(watched.write ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN), 0});
        callbacks.push_back(watched.callback);
    }
    for (const auto& [fd, callback] : fds_) {
        items.push_back({nullptr, fd, ZMQ_POLLIN, 0});
        callbacks.push_back(callback);
    }
    {
        const std::lock_guard lock(mutex_);
        if (!posted_.empty()) return;
    }
    end_round();
    const int ready = zmq_poll(items.data(), static_cast<int>(items.size()), poll_timeout_ms());
    round_began_ = clock_.now();
    if (ready <= 0) return;
    if (items[0].revents) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(wake_fd_, &count, sizeof count);
    }
    for (std::size_t i = 1; i < items.size(); ++i) {
        if (!items[i].revents) continue;
        if (items[i].socket) {
            if (sockets_.contains(items[i].socket) && ready_now(items[i].socket, items[i].events)) (*callbacks[i])();
        } else if (fds_.contains(items[i].fd)) {
            (*callbacks[i])();
        }
    }
}

}  // namespace divisi::link
