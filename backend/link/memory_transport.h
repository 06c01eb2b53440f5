// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <set>

#include "backend/link/loop.h"
#include "backend/link/transport.h"

namespace divisi::link {

/// A loop on simulated time: nothing happens but what run_*() lets happen, in an order that depends on
/// nothing else.
class SimLoop final : public Loop {
public:
    TimePoint now() const override { return now_; }
    TimerId after(Duration delay, Task task) override;
    void cancel(TimerId id) override;
    void post(Task task) override { (void)after(Duration(0), std::move(task)); }

    /// Everything that is due until `duration` from now, and the clock there.
    void run_for(Duration duration);
    /// The next that is due by `until`, and the clock there; false where nothing is.
    bool run_next(TimePoint until);
    /// The clock goes on and nothing runs, as on a machine that is busy with something else; what was due meanwhile
    /// runs afterwards.
    void hold_up(Duration duration) { now_ += duration; }

private:
    TimePoint now_{std::chrono::seconds(1'700'000'000)};
    TimerId next_ = 1;
    std::map<std::pair<TimePoint, TimerId>, Task> timers_;
    std::map<TimerId, TimePoint> times_;
};

/// The in-memory twin of the socket transport, for simulation and unit tests: endpoints are names like
/// mem://orchestrator, messages take `latency`, links can be cut and single messages dropped.
class MemoryTransport final : public Transport {
public:
    explicit MemoryTransport(Loop& loop, Duration latency = std::chrono::microseconds(50));
    ~MemoryTransport() override;

    Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, Listener::Events events) override;
    Result<std::unique_ptr<Channel>> connect(const Address& address, Purpose purpose, const std::string& identity,
                                             Channel::Events events) override;

    /// Ends all connections to the endpoint; new ones fail until heal().
    void cut(const std::string& endpoint);
    void heal(const std::string& endpoint);
    /// Asked for each message; true loses it. Without: nothing is lost.
    void drop_if(std::function<bool(const std::string& endpoint, const Parts&)> predicate);
    /// What listeners learn of those who connect from now on. At first: the owner.
    void credentials(Credentials credentials);

    struct State;

private:
    std::shared_ptr<State> state_;
};

}  // namespace divisi::link
