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

/// How messages travel.
struct Weather {
    Duration delay = std::chrono::milliseconds(1);       ///< of most messages, at most
    Duration slow_delay = std::chrono::milliseconds(1);  ///< of the slow ones, at most
    double slow = 0;                                     ///< how many messages are slow
    double duplicate = 0, reorder = 0;                   ///< frames of the data plane, which has to stand it
};

/// Who a connection's end belongs to.
struct Place {
    std::string process, machine;
    std::int64_t pid = 0;
};

struct Pipe;

/// The wires between simulated machines, as sockets see them (link::Transport). A connection keeps the order of its
/// messages and loses none while it lives. It ends when either end closes it or its process dies, and when it breaks,
/// with all that is under way; one end then may not hear of it until it sends. Between machines that are parted, and to
/// one that is off, nothing travels at all, the end of a connection included.
class Network {
public:
    explicit Network(World& world) : world_(world) {}
    ~Network();
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /// The sockets of one process. They must go before its loop.
    std::unique_ptr<link::Transport> sockets(ProcessLoop& loop, Place place);

    void weather(Weather weather) { weather_ = weather; }
    /// From now on what `is_lost` names never arrives, though its sender does not notice.
    void lose(std::function<bool(const link::Parts&)> is_lost) { is_lost_ = std::move(is_lost); }
    void part(const std::string& machine, const std::string& other);
    /// Ends all partitions; what was held travels on.
    void heal();
    /// Breaks a connection that is up; false where there is none.
    bool break_one();
    /// The process is about to be killed: what its sockets had not sent may be lost.
    void killed(const std::string& process);
    /// Whether what one machine sends reaches the other.
    bool connects(const std::string& machine, const std::string& other) const {
        return !off(machine) && !off(other) && !apart(machine, other);
    }
    void power_off(const std::string& machine);
    /// Whoever still has a connection to it learns that it is over.
    void power_on(const std::string& machine);

    /// What lies between two processes: whether words of `from` lie at `to` unread, and for how long `to` had read
    /// nothing of it when it was stopped last.
    struct Hearing {
        bool unread = false;
        Duration quiet = Duration::max();
    };
    Hearing hearing(const std::string& from, const std::string& to) const;
    /// The most messages that were ever under way on one connection, for each purpose in relation to its limit.
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
    /// Tells an end that the connection is over.
    void end(const PipePtr& pipe, int to);
    void close(const PipePtr& pipe, int from);
    std::vector<PipePtr> living();

    World& world_;
    Weather weather_;
    std::function<bool(const link::Parts&)> is_lost_;
    std::map<std::string, std::shared_ptr<Bound>> bound_;
    std::map<std::string, std::string> machines_;  ///< of endpoints, also of those that nobody listens on
    std::set<std::pair<std::string, std::string>> parted_;
    std::set<std::string> off_;
    std::vector<std::weak_ptr<Pipe>> pipes_;
    std::uint64_t next_route_ = 1;
    double fullest_ = 0;
};

}  // namespace divisi::sim
