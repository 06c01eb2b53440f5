// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/world.h"

namespace divisi::sim {

/// Properties of the simulated network: delays and disorder.
struct Weather {
    Duration delay = std::chrono::milliseconds(1);       ///< maximum delay of most messages
    Duration slow_delay = std::chrono::milliseconds(1);  ///< maximum delay of the slow messages
    double slow = 0;                                     ///< share of messages that are slow
    /// shares of data-plane frames that are duplicated or reordered; the data plane must tolerate both
    double duplicate = 0, reorder = 0;
};

/// The process and machine to which one end of a connection belongs.
struct Place {
    std::string process, machine;
    std::int64_t pid = 0;
};

struct Pipe;

/// The network between simulated machines, as sockets see it (link::Transport). A connection keeps the order of its
/// messages and loses none while it lives. A connection ends if either end closes it, if a process at either end dies,
/// or if the connection breaks. A break loses all messages in flight, and one end may not notice the break until it
/// sends. No message is delivered between machines that are cut off from each other, or to a machine that is off. This
/// includes the notice that a connection has ended.
class Network {
public:
    explicit Network(World& world) : world_(world) {}
    ~Network();
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /// Returns the sockets of one process. They must be destroyed before its loop.
    std::unique_ptr<link::Transport> sockets(ProcessLoop& loop, Place place);

    void weather(Weather weather) { weather_ = weather; }
    /// From now on drops the messages that `is_lost` matches. Their senders do not notice.
    void lose(std::function<bool(const link::Parts&)> is_lost) { is_lost_ = std::move(is_lost); }
    void part(const std::string& machine, const std::string& other);
    /// Ends all partitions and delivers the messages that they held back.
    void heal();
    /// Breaks a connection that is up; returns false if there is none.
    bool break_one();
    /// Call this just before a process is killed. Messages that its sockets had not sent may be lost.
    void killed(const std::string& process);
    /// Returns whether messages travel between the two machines.
    bool connects(const std::string& machine, const std::string& other) const {
        return !off(machine) && !off(other) && !apart(machine, other);
    }
    void power_off(const std::string& machine);
    /// Ends the connections that other machines still have to this one.
    void power_on(const std::string& machine);

    /// Describes how far `to` has read the messages from `from`: whether some are unread, and how long `to` had read
    /// nothing when it was last stopped.
    struct Hearing {
        bool unread = false;
        Duration quiet = Duration::max();
    };
    Hearing hearing(const std::string& from, const std::string& to) const;
    /// Returns the largest backlog of any connection so far, relative to the limit of the connection's purpose.
    double fullest() const { return fullest_; }

private:
    friend class Sockets;
    friend class SimulatedChannel;
    friend class SimulatedListener;
    friend struct Pipe;
    using Action = std::function<void()>;
    using PipePtr = std::shared_ptr<Pipe>;
    struct Bound {
        ProcessLoop* loop = nullptr;
        Place place;
        link::Listener::Events events;
        std::map<std::string, PipePtr> routes;
    };

    Duration delay();
    bool apart(const std::string& machine, const std::string& other) const;
    bool off(const std::string& machine) const { return off_.contains(machine); }
    void knock(const PipePtr& pipe);
    void accept(const PipePtr& pipe, const std::shared_ptr<Bound>& bound);
    link::Sent send(const PipePtr& pipe, int to, const link::Parts& parts);
    void carry(const PipePtr& pipe, int to, Action action, bool ordered = true);
    void reach(const PipePtr& pipe, int to, const Action& action);
    bool is_parted(const Pipe& pipe) const;
    void hand_over(const PipePtr& pipe, int to, const Action& action);
    void flush(const PipePtr& pipe, int to);
    void deliver(const PipePtr& pipe, int to, const link::Parts& parts);
    /// Notifies an end of the connection that the connection is over.
    void end(const PipePtr& pipe, int to);
    void close(const PipePtr& pipe, int from);
    std::vector<PipePtr> living();

    World& world_;
    Weather weather_;
    std::function<bool(const link::Parts&)> is_lost_;
    std::map<std::string, std::shared_ptr<Bound>> bound_;
    std::map<std::string, std::string> machines_;  ///< machine of each endpoint, including endpoints without a listener
    std::set<std::pair<std::string, std::string>> parted_;
    std::set<std::string> off_;
    std::vector<std::weak_ptr<Pipe>> pipes_;
    std::uint64_t next_route_ = 1;
    double fullest_ = 0;
};

}  // namespace divisi::sim
