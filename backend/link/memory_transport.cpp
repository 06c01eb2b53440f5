// SPDX-License-Identifier: Apache-2.0
#include "backend/link/memory_transport.h"

#include <algorithm>

#include "backend/link/error_texts.h"

namespace divisi::link {

Loop::TimerId SimLoop::after(Duration delay, Task task) {
    const TimerId id = next_++;
    timers_.emplace(std::pair(now_ + delay, id), std::move(task));
    times_.emplace(id, now_ + delay);
    return id;
}

void SimLoop::cancel(TimerId id) {
    const auto it = times_.find(id);
    if (it == times_.end()) return;
    timers_.erase({it->second, id});
    times_.erase(it);
}

void SimLoop::run_for(Duration duration) {
    const TimePoint until = now_ + duration;
    while (run_next(until)) {}
    now_ = until;
}

bool SimLoop::run_next(TimePoint until) {
    if (timers_.empty() || timers_.begin()->first.first > until) return false;
    const auto [at, id] = timers_.begin()->first;
    const Task task = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    times_.erase(id);
    now_ = std::max(now_, at);
    task();
    return true;
}

namespace {

/// Both ends of one connection. Either end may be destroyed first; later deliveries then find `open` false.
struct Pipe {
    std::string endpoint, route;
    Purpose purpose = Purpose::control;
    Credentials credentials;
    Channel::Events to_connector;
    bool open = false;                   ///< the connection is up at both ends
    bool connector = true;               ///< the connecting object still exists
    int up_flight = 0, down_flight = 0;  ///< messages in transit to the listener, and back
    bool connector_waits = false;
};

}  // namespace

struct MemoryTransport::State {
    struct Bound {
        Listener::Events events;
        std::map<std::string, std::shared_ptr<Pipe>> routes;
    };
    Loop& loop;
    Duration latency;
    std::map<std::string, std::shared_ptr<Bound>> bound;
    std::set<std::string> cut;
    std::function<bool(const std::string&, const Parts&)> drop;
    Credentials credentials{true, {}, "memory"};
    std::uint64_t next_route = 1;

    /// Ends the connection if a part is larger than its purpose allows, as ZeroMQ does. Returns whether it has ended.
    bool refused(const std::shared_ptr<Pipe>& pipe, const Parts& parts) {
        const std::size_t limit = limits_of(pipe->purpose).message_bytes;
        if (std::ranges::none_of(parts, [&](const Part& part) { return part.bytes.size() > limit; })) return false;
        end(pipe, true);
        return true;
    }
    void end(const std::shared_ptr<Pipe>& pipe, bool tell_connector) {
        if (const auto it = bound.find(pipe->endpoint); it != bound.end()) {
            const std::shared_ptr<Bound> listener = it->second;
            const auto route = listener->routes.find(pipe->route);
            if (route != listener->routes.end() && route->second == pipe) {
                listener->routes.erase(route);
                loop.after(latency, [listener, route = pipe->route] {
                    if (!listener->routes.contains(route) && listener->events.gone) listener->events.gone(route);
                });
            }
        }
        if (!pipe->open && !tell_connector) return;
        pipe->open = false;
        if (!tell_connector) return;
        loop.after(latency, [pipe] {
            if (pipe->connector && pipe->to_connector.down)
                pipe->to_connector.down(make_error(error_text("connection-ended"), pipe->endpoint));
        });
    }
};

namespace {

using State = MemoryTransport::State;

class MemoryChannel final : public Channel {
public:
    MemoryChannel(std::shared_ptr<State> state, std::shared_ptr<Pipe> pipe)
        : state_(std::move(state)), pipe_(std::move(pipe)) {}
    ~MemoryChannel() override {
        pipe_->connector = false;
        // Messages sent earlier still arrive, as with a socket that lingers.
        state_->loop.after(state_->latency, [state = state_, pipe = pipe_] { state->end(pipe, false); });
    }

    Sent send(const Parts& parts) override {
        if (!pipe_->open) return Sent::gone;
        if (pipe_->up_flight >= limits_of(pipe_->purpose).queued_messages) {
            pipe_->connector_waits = true;
            return Sent::full;
        }
        if (state_->drop && state_->drop(pipe_->endpoint, parts)) return Sent::yes;
        if (state_->refused(pipe_, parts)) return Sent::yes;
        ++pipe_->up_flight;
        state_->loop.after(state_->latency, [state = state_, pipe = pipe_, parts] {
            --pipe->up_flight;
            if (!pipe->open) return;
            if (const auto it = state->bound.find(pipe->endpoint); it != state->bound.end()) {
                const auto listener = it->second;
                if (listener->events.message) listener->events.message(pipe->route, pipe->credentials, parts);
            }
            if (!std::exchange(pipe->connector_waits, false)) return;
            if (pipe->connector && pipe->open && pipe->to_connector.writable) pipe->to_connector.writable();
        });
        return Sent::yes;
    }

private:
    std::shared_ptr<State> state_;
    std::shared_ptr<Pipe> pipe_;
};

class MemoryListener final : public Listener {
public:
    MemoryListener(std::shared_ptr<State> state, std::string endpoint, std::shared_ptr<State::Bound> bound)
        : state_(std::move(state)), endpoint_(std::move(endpoint)), bound_(std::move(bound)) {}
    ~MemoryListener() override {
        bound_->events = {};
        const auto routes = bound_->routes;
        for (const auto& [route, pipe] : routes) state_->end(pipe, true);
        state_->bound.erase(endpoint_);
    }
    const std::string& endpoint() const override { return endpoint_; }

    Sent send(const std::string& route, const Parts& parts) override {
        const auto it = bound_->routes.find(route);
        if (it == bound_->routes.end()) return Sent::gone;
        const auto pipe = it->second;
        if (pipe->down_flight >= limits_of(pipe->purpose).queued_messages) return Sent::full;
        if (state_->drop && state_->drop(endpoint_, parts)) return Sent::yes;
        if (state_->refused(pipe, parts)) return Sent::yes;
        ++pipe->down_flight;
        state_->loop.after(state_->latency, [pipe, parts] {
            --pipe->down_flight;
            if (pipe->open && pipe->connector && pipe->to_connector.message) pipe->to_connector.message(parts);
        });
        return Sent::yes;
    }

private:
    std::shared_ptr<State> state_;
    std::string endpoint_;
    std::shared_ptr<State::Bound> bound_;
};

}  // namespace

MemoryTransport::MemoryTransport(Loop& loop, Duration latency)
    : state_(std::make_shared<State>(State{loop, latency, {}, {}, {}})) {}
MemoryTransport::~MemoryTransport() = default;

Result<std::unique_ptr<Listener>> MemoryTransport::listen(const ListenOptions& options, Listener::Events events) {
    if (state_->bound.contains(options.endpoint)) return make_error(error_text("endpoint-in-use"), options.endpoint);
    auto bound = std::make_shared<State::Bound>();
    bound->events = std::move(events);
    state_->bound.emplace(options.endpoint, bound);
    return std::unique_ptr<Listener>(std::make_unique<MemoryListener>(state_, options.endpoint, std::move(bound)));
}

Result<std::unique_ptr<Channel>> MemoryTransport::connect(const Address& address, Purpose purpose,
                                                          const std::string& identity, Channel::Events events) {
    auto pipe = std::make_shared<Pipe>();
    pipe->endpoint = address.endpoint;
    pipe->route = identity.empty() ? "memory-" + std::to_string(state_->next_route++) : identity;
    pipe->purpose = purpose;
    pipe->credentials = state_->credentials;
    pipe->to_connector = std::move(events);
    state_->loop.after(state_->latency, [state = state_, pipe] {
        if (!pipe->connector) return;
        const auto it = state->bound.find(pipe->endpoint);
        if (it == state->bound.end() || state->cut.contains(pipe->endpoint)) return state->end(pipe, true);
        // If a known identity reconnects, it replaces its older connection.
        if (const auto old = it->second->routes.find(pipe->route); old != it->second->routes.end())
            state->end(std::shared_ptr<Pipe>(old->second), true);
        it->second->routes[pipe->route] = pipe;
        pipe->open = true;
        if (pipe->to_connector.up) pipe->to_connector.up();
    });
    return std::unique_ptr<Channel>(std::make_unique<MemoryChannel>(state_, std::move(pipe)));
}

void MemoryTransport::cut(const std::string& endpoint) {
    state_->cut.insert(endpoint);
    const auto it = state_->bound.find(endpoint);
    if (it == state_->bound.end()) return;
    const auto routes = it->second->routes;
    for (const auto& [route, pipe] : routes) state_->end(pipe, true);
}

void MemoryTransport::heal(const std::string& endpoint) { state_->cut.erase(endpoint); }

void MemoryTransport::drop_if(std::function<bool(const std::string&, const Parts&)> predicate) {
    state_->drop = std::move(predicate);
}

void MemoryTransport::credentials(Credentials credentials) { state_->credentials = std::move(credentials); }

}  // namespace divisi::link
