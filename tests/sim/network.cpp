// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/network.h"

#include <algorithm>

namespace divisi::sim {

using namespace link;
using std::chrono::milliseconds;

namespace {
constexpr int connector = 0, listener = 1;
/// Interval at which an unanswered connection attempt is retried, as TCP does.
constexpr Duration knock_again = std::chrono::seconds(1);
}  // namespace

/// Both ends of a connection, or of a connection attempt.
struct Pipe {
    struct End {
        Place place;
        TimePoint last{};                        ///< arrival time of the last message sent to this end
        std::deque<std::function<void()>> held;  ///< messages that a partition delays on their way to this end
        int under_way = 0;                       ///< messages sent to this end that it has not read
        int unread = 0;                          ///< messages that have arrived at this end but are not read
        TimePoint read{};                        ///< when this end last read something
        bool told = false;                       ///< this end was notified that the connection is over
    };
    /// Returns the loop of the process at this end; null if the end is closed or not connected yet.
    ProcessLoop* loop(int end) const { return end == connector ? connecting : bound ? bound->loop : nullptr; }
    /// Runs the task in the process at this end, if that process still exists.
    void tell(int end, std::function<void()> task) const {
        if (ProcessLoop* its = loop(end)) its->arrive(std::move(task));
    }

    std::string endpoint, route;
    Purpose purpose = Purpose::control;
    ProcessLoop* connecting = nullptr;
    Channel::Events events;  ///< of the connector
    std::shared_ptr<Network::Bound> bound;
    End ends[2];
    bool up = false;        ///< the connector was notified that the connection is up
    bool accepted = false;  ///< the listener has accepted the route
    bool broken = false;    ///< no message in flight will arrive
    bool vanished = false;  ///< a machine was powered off: no message travels any more
    bool wants_room = false;
};

class SimulatedChannel final : public Channel {
public:
    SimulatedChannel(Network& network, std::shared_ptr<Pipe> pipe) : network_(network), pipe_(std::move(pipe)) {}
    ~SimulatedChannel() override { network_.close(pipe_, connector); }
    Sent send(const Parts& parts) override {
        if (!pipe_->up || pipe_->ends[connector].told) return Sent::gone;
        const Sent sent = network_.send(pipe_, listener, parts);
        pipe_->wants_room |= sent == Sent::full;
        return sent;
    }

private:
    Network& network_;
    std::shared_ptr<Pipe> pipe_;
};

class SimulatedListener final : public Listener {
public:
    SimulatedListener(Network& network, std::string endpoint, std::shared_ptr<Network::Bound> bound)
        : network_(network), endpoint_(std::move(endpoint)), bound_(std::move(bound)) {}
    ~SimulatedListener() override {
        network_.bound_.erase(endpoint_);
        bound_->loop = nullptr;
        for (const auto& [route, pipe] : std::exchange(bound_->routes, {})) network_.close(pipe, listener);
    }
    const std::string& endpoint() const override { return endpoint_; }
    Sent send(const std::string& route, const Parts& parts) override {
        const auto found = bound_->routes.find(route);
        if (found == bound_->routes.end()) return Sent::gone;
        return network_.send(found->second, connector, parts);
    }

private:
    Network& network_;
    std::string endpoint_;
    std::shared_ptr<Network::Bound> bound_;
};

/// One process's access to the network.
class Sockets final : public Transport {
public:
    Sockets(Network& network, ProcessLoop& loop, Place place)
        : network_(network), loop_(loop), place_(std::move(place)) {}

    Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, Listener::Events events) override {
        if (network_.bound_.contains(options.endpoint))
            return Error{ErrorCode::conflict, "the endpoint is in use", options.endpoint, "choose another name"};
        auto bound = std::make_shared<Network::Bound>();
        bound->loop = &loop_;
        bound->place = place_;
        bound->events = std::move(events);
        network_.bound_[options.endpoint] = bound;
        network_.machines_[options.endpoint] = place_.machine;
        return std::unique_ptr<Listener>(
            std::make_unique<SimulatedListener>(network_, options.endpoint, std::move(bound)));
    }

    Result<std::unique_ptr<Channel>> connect(const Address& address, Purpose purpose, const std::string& identity,
                                             Channel::Events events) override {
        auto pipe = std::make_shared<Pipe>();
        pipe->endpoint = address.endpoint;
        pipe->route = identity.empty() ? place_.process + " " + std::to_string(network_.next_route_++) : identity;
        pipe->purpose = purpose;
        pipe->events = std::move(events);
        pipe->connecting = &loop_;
        pipe->ends[connector].place = place_;
        network_.pipes_.push_back(pipe);
        network_.world_.after(network_.delay(), [&network = network_, pipe] { network.knock(pipe); });
        return std::unique_ptr<Channel>(std::make_unique<SimulatedChannel>(network_, std::move(pipe)));
    }

private:
    Network& network_;
    ProcessLoop& loop_;
    Place place_;
};

std::unique_ptr<Transport> Network::sockets(ProcessLoop& loop, Place place) {
    return std::make_unique<Sockets>(*this, loop, std::move(place));
}

Duration Network::delay() {
    const bool slow = weather_.slow > 0 && world_.chance(weather_.slow);
    return world_.between(Duration(1000), slow ? weather_.slow_delay : weather_.delay);
}

bool Network::apart(const std::string& machine, const std::string& other) const {
    return !parted_.empty() && (parted_.contains({machine, other}) || parted_.contains({other, machine}));
}

/// Tries to connect. If the other machine is off or unreachable, retries as long as the connector waits. If no process
/// listens at the address, notifies the connector.
void Network::knock(const PipePtr& pipe) {
    Pipe::End& from = pipe->ends[connector];
    if (!pipe->connecting || pipe->vanished) return;
    const auto machine = machines_.find(pipe->endpoint);
    const bool silent =
        machine != machines_.end() && (off(machine->second) || apart(from.place.machine, machine->second));
    if (silent) return world_.after(knock_again, [this, pipe] { knock(pipe); });
    const auto found = bound_.find(pipe->endpoint);
    if (found == bound_.end()) return carry(pipe, connector, [this, pipe] { end(pipe, connector); });
    const std::shared_ptr<Bound> bound = found->second;
    pipe->bound = bound;
    pipe->ends[listener].place = bound->place;
    bound->loop->arrive([this, pipe, bound] { accept(pipe, bound); });
}

/// Held messages and listeners own their pipe, and the pipe owns them. Clearing them breaks the cycles.
Network::~Network() {
    for (const PipePtr& pipe : living()) {
        for (Pipe::End& end : pipe->ends) end.held.clear();
        if (pipe->bound) pipe->bound->routes.clear();
    }
}

void Network::accept(const PipePtr& pipe, const std::shared_ptr<Bound>& bound) {
    if (!bound->loop || !pipe->connecting || pipe->vanished) return;
    // If a known identity reconnects, the new connection replaces the old one.
    if (const auto old = bound->routes.find(pipe->route); old != bound->routes.end()) {
        const PipePtr other = old->second;
        other->ends[listener].told = true;
        bound->routes.erase(old);
        carry(other, connector, [this, other] { end(other, connector); });
        if (bound->events.gone) bound->events.gone(pipe->route);
    }
    bound->routes[pipe->route] = pipe;
    pipe->accepted = true;
    carry(pipe, connector, [pipe] {
        pipe->up = true;
        if (pipe->events.up) pipe->events.up();
    });
}

Sent Network::send(const PipePtr& pipe, int to, const Parts& parts) {
    if (is_lost_ && is_lost_(parts)) return Sent::yes;
    Pipe::End& end = pipe->ends[to];
    const int most = limits_of(pipe->purpose).queued_messages;
    if (end.under_way >= most) return Sent::full;
    ++end.under_way;
    fullest_ = std::max(fullest_, static_cast<double>(end.under_way) / most);
    if (pipe->broken && !pipe->vanished) {
        // The other machine does not know the connection, and answers that the connection has ended.
        const int from = 1 - to;
        world_.after(delay(), [this, pipe, from] { pipe->tell(from, [this, pipe, from] { this->end(pipe, from); }); });
        return Sent::yes;
    }
    const bool data = pipe->purpose == Purpose::data;
    const bool ordered = !(data && weather_.reorder > 0 && world_.chance(weather_.reorder));
    carry(
        pipe, to, [this, pipe, to, parts] { deliver(pipe, to, parts); }, ordered);
    if (data && weather_.duplicate > 0 && world_.chance(weather_.duplicate)) {
        ++end.under_way;
        carry(
            pipe, to, [this, pipe, to, parts] { deliver(pipe, to, parts); }, false);
    }
    return Sent::yes;
}

void Network::carry(const PipePtr& pipe, int to, Action action, bool ordered) {
    Pipe::End& end = pipe->ends[to];
    TimePoint at = world_.now() + delay();
    if (ordered) end.last = at = std::max(at, end.last);
    world_.after(at - world_.now(), [this, pipe, to, action = std::move(action)] { reach(pipe, to, action); });
}

void Network::reach(const PipePtr& pipe, int to, const Action& action) {
    Pipe::End& end = pipe->ends[to];
    if (!end.held.empty() || is_parted(*pipe)) end.held.push_back(action);
    else hand_over(pipe, to, action);
}

bool Network::is_parted(const Pipe& pipe) const {
    return apart(pipe.ends[connector].place.machine, pipe.ends[listener].place.machine);
}

void Network::hand_over(const PipePtr& pipe, int to, const Action& action) {
    if (pipe->broken || pipe->vanished || !pipe->loop(to)) return;
    ++pipe->ends[to].unread;
    pipe->tell(to, [this, pipe, to, action] {
        --pipe->ends[to].unread;
        pipe->ends[to].read = world_.now();
        action();
    });
}

/// Delivers the messages that a partition held back, before any later message.
void Network::flush(const PipePtr& pipe, int to) {
    if (is_parted(*pipe)) return;
    for (const Action& action : std::exchange(pipe->ends[to].held, {})) hand_over(pipe, to, action);
}

void Network::deliver(const PipePtr& pipe, int to, const Parts& parts) {
    --pipe->ends[to].under_way;
    if (pipe->ends[to].told) return;
    if (to == connector) {
        if (pipe->up && pipe->events.message) pipe->events.message(parts);
        return;
    }
    const std::shared_ptr<Bound> bound = pipe->bound;
    const Credentials credentials{true, std::nullopt, pipe->ends[connector].place.process, "",
                                  pipe->ends[connector].place.pid};
    if (bound->events.message) bound->events.message(pipe->route, credentials, parts);
    if (!std::exchange(pipe->wants_room, false)) return;
    carry(pipe, connector, [pipe] {
        if (!pipe->ends[connector].told && pipe->events.writable) pipe->events.writable();
    });
}

void Network::end(const PipePtr& pipe, int to) {
    Pipe::End& end = pipe->ends[to];
    if (!pipe->loop(to) || std::exchange(end.told, true)) return;
    if (to == connector) {
        if (pipe->events.down)
            pipe->events.down({ErrorCode::unavailable, "the connection ended", pipe->endpoint, "trying again"});
        return;
    }
    const auto route = pipe->bound->routes.find(pipe->route);
    if (route == pipe->bound->routes.end() || route->second != pipe) return;
    pipe->bound->routes.erase(route);
    if (pipe->bound->events.gone) pipe->bound->events.gone(pipe->route);
}

/// Closes one end. The other end is notified after everything sent before has arrived.
void Network::close(const PipePtr& pipe, int from) {
    const int to = 1 - from;
    pipe->ends[from].told = true;
    if (from == connector) {
        pipe->connecting = nullptr;
        pipe->events = {};
    }
    if (!pipe->accepted || pipe->vanished) return;
    if (!pipe->broken) return carry(pipe, to, [this, pipe, to] { end(pipe, to); });
    world_.after(delay(), [this, pipe, to] { pipe->tell(to, [this, pipe, to] { end(pipe, to); }); });
}

std::vector<Network::PipePtr> Network::living() {
    std::erase_if(pipes_, [](const auto& weak) { return weak.expired(); });
    std::vector<PipePtr> all;
    for (const auto& weak : pipes_) all.push_back(weak.lock());
    return all;
}

void Network::part(const std::string& machine, const std::string& other) { parted_.insert({machine, other}); }

void Network::heal() {
    parted_.clear();
    for (const PipePtr& pipe : living())
        for (const int to : {connector, listener})
            if (!pipe->ends[to].held.empty()) world_.after(delay(), [this, pipe, to] { flush(pipe, to); });
}

bool Network::break_one() {
    std::vector<PipePtr> candidates;
    for (const PipePtr& pipe : living())
        if (pipe->up && !pipe->broken && !pipe->vanished && pipe->loop(connector) && pipe->loop(listener))
            candidates.push_back(pipe);
    if (candidates.empty()) return false;
    const PipePtr pipe = candidates[world_.pick(candidates.size())];
    pipe->broken = true;
    const bool both = world_.chance(0.5);
    const int first = world_.chance(0.5) ? connector : listener;
    for (const int to : {first, 1 - first}) {
        if (to != first && !both) continue;
        world_.after(delay(), [this, pipe, to] { pipe->tell(to, [this, pipe, to] { end(pipe, to); }); });
    }
    return true;
}

void Network::killed(const std::string& process) {
    for (const PipePtr& pipe : living())
        for (const Pipe::End& end : pipe->ends)
            if (end.place.process == process && world_.chance(0.5)) pipe->broken = true;
}

void Network::power_off(const std::string& machine) {
    off_.insert(machine);
    for (const PipePtr& pipe : living())
        for (const Pipe::End& end : pipe->ends)
            if (end.place.machine == machine) pipe->vanished = true;
}

void Network::power_on(const std::string& machine) {
    off_.erase(machine);
    for (const PipePtr& pipe : living())
        for (const int to : {connector, listener})
            if (pipe->vanished && pipe->ends[1 - to].place.machine == machine)
                world_.after(delay(), [this, pipe, to] { pipe->tell(to, [this, pipe, to] { end(pipe, to); }); });
}

Network::Hearing Network::hearing(const std::string& from, const std::string& to) const {
    Hearing hearing;
    for (const auto& weak : pipes_) {
        const PipePtr pipe = weak.lock();
        for (const int end : {connector, listener}) {
            if (!pipe || pipe->ends[end].place.process != to || pipe->ends[1 - end].place.process != from) continue;
            hearing.unread |= pipe->ends[end].unread > 0;
            if (const ProcessLoop* reader = pipe->loop(end))
                hearing.quiet = std::min(hearing.quiet, reader->stopped_at() - pipe->ends[end].read);
        }
    }
    return hearing;
}

}  // namespace divisi::sim
