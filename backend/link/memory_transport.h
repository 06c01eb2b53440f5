// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <set>

#include "backend/link/loop.h"
#include "backend/link/transport.h"

namespace divisi::link {

/// A loop on simulated time. Tasks run only inside run_*(), in an order that depends only on their times and the order
/// in which they were added.
class SimLoop final : public Loop {
public:
    TimePoint now() const override { return now_; }
    TimerId after(Duration delay, Task task) override;
    void cancel(TimerId id) override;
    void post(Task task) override { (void)after(Duration(0), std::move(task)); }

    /// Runs everything that is due within `duration` from now, and advances the clock by `duration`.
    void run_for(Duration duration);
    /// Runs the next task that is due by `until` and sets the clock to its time; returns false if there is none.
    bool run_next(TimePoint until);
    /// Advances the clock without running any task, as on a machine that is busy with other work. Tasks that became due
    /// meanwhile run afterwards.
    void hold_up(Duration duration) { now_ += duration; }

private:
    TimePoint now_{std::chrono::seconds(1'700'000'000)};
    TimerId next_ = 1;
    std::map<std::pair<TimePoint, TimerId>, Task> timers_;
    std::map<TimerId, TimePoint> times_;
};

/// An in-memory counterpart of the socket transport, for simulation and unit tests. Endpoints are names such as
/// mem://orchestrator. Messages take `latency`, links can be cut, and single messages can be dropped.
class MemoryTransport final : public Transport {
public:
    explicit MemoryTransport(Loop& loop, Duration latency = std::chrono::microseconds(50));
    ~MemoryTransport() override;

    Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, Listener::Events events) override;
    Result<std::unique_ptr<Channel>> connect(const Address& address, Purpose purpose, const std::string& identity,
                                             Channel::Events events) override;

    /// Ends all connections to the endpoint; new attempts fail until heal().
    void cut(const std::string& endpoint);
    void heal(const std::string& endpoint);
    /// Sets the predicate that is called for each message; true drops it. Without a predicate nothing is dropped.
    void drop_if(std::function<bool(const std::string& endpoint, const Parts&)> predicate);
    /// Sets the credentials that listeners see for connections made from now on. Initially: the owner.
    void credentials(Credentials credentials);

    struct State;

private:
    std::shared_ptr<State> state_;
};

}  // namespace divisi::link
