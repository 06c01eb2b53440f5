// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <random>

#include "backend/link/memory_transport.h"

namespace divisi::sim {

/// Time and randomness of one simulated world: everything follows from its seed.
class World {
public:
    explicit World(std::uint64_t seed) : random_(seed) {}

    /// The loop for events outside all processes: network, disks, faults.
    link::SimLoop& loop() { return loop_; }
    TimePoint now() const { return loop_.now(); }
    void after(Duration delay, link::Loop::Task task) { (void)loop_.after(delay, std::move(task)); }
    bool chance(double probability) { return std::uniform_real_distribution<>(0, 1)(random_) < probability; }
    Duration between(Duration least, Duration most) {
        return Duration(std::uniform_int_distribution<std::int64_t>(least.count(), most.count())(random_));
    }
    /// Returns a random number from 0 to `count` - 1.
    std::size_t pick(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

private:
    std::mt19937_64 random_;
    link::SimLoop loop_;
};

/// The loop of one simulated process. While the process is stopped, timers and inputs wait. Afterwards they run as in
/// EventLoop: first the due timers, then the inputs of the sockets. The loop and its tasks are destroyed with the
/// process.
class ProcessLoop final : public link::Loop {
public:
    explicit ProcessLoop(World& world) : world_(world) {}
    ~ProcessLoop() override;
    ProcessLoop(const ProcessLoop&) = delete;
    ProcessLoop& operator=(const ProcessLoop&) = delete;

    TimePoint now() const override { return world_.now(); }
    TimerId after(Duration delay, Task task) override;
    void cancel(TimerId id) override;
    void post(Task task) override { (void)after(Duration(0), std::move(task)); }

    /// Handles an input from outside the process.
    void arrive(Task task);
    /// Stops and resumes the process like SIGSTOP and SIGCONT.
    void stop() {
        stopped_ = true;
        stopped_at_ = world_.now();
    }
    void go_on();
    /// Returns when the process was last stopped.
    TimePoint stopped_at() const { return stopped_at_; }
    /// Returns the number of timers and inputs that the loop holds.
    std::size_t size() const { return timers_.size() + inputs_.size(); }

private:
    struct Timer {
        TimerId in_world = 0;
        Task task;
    };
    bool waits() const { return stopped_ || catches_up_; }
    void due(TimerId id);
    void run(TimerId id);
    void take_turn();

    World& world_;
    std::map<TimerId, Timer> timers_;
    TimerId last_ = 0;
    bool stopped_ = false;
    TimePoint stopped_at_{};
    std::deque<TimerId> late_;  ///< timers that became due while the process was stopped
    std::deque<Task> inputs_;   ///< inputs that arrived while the process was stopped
    bool catches_up_ = false;
    TimerId turn_ = 0;  ///< timer of the next turn in the world's loop; set only while the process catches up
};

}  // namespace divisi::sim
