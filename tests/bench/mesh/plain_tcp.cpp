// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/mesh/plain_tcp.h"

#include <unistd.h>

#include <utility>

#include "backend/link/zmq_socket.h"

namespace divisi::bench {
namespace {

using namespace link;

/// Messages served in one round of the loop, as those of ZmqTransport.
constexpr int drain_limit = 256;
/// Likewise the kernel's memory for sockets that carry chunks.
constexpr int data_buffer_bytes = 4 << 20;

template <typename T>
void set(void* socket, int option, const T& value) {
    zmq_setsockopt(socket, option, &value, sizeof value);
}

RawSocket make_socket(void* context, int type, Purpose purpose) {
    RawSocket socket(zmq_socket(context, type));
    const SocketLimits limits = limits_of(purpose);
    set(socket.get(), ZMQ_MAXMSGSIZE, static_cast<std::int64_t>(limits.message_bytes));
    set(socket.get(), ZMQ_SNDHWM, limits.queued_messages);
    set(socket.get(), ZMQ_RCVHWM, limits.queued_messages);
    set(socket.get(), ZMQ_LINGER, 0);
    if (purpose != Purpose::data) return socket;
    set(socket.get(), ZMQ_SNDBUF, data_buffer_bytes);
    set(socket.get(), ZMQ_RCVBUF, data_buffer_bytes);
    return socket;
}

class PlainListener final : public Listener {
public:
    PlainListener(EventLoop& loop, RawSocket socket, std::string name, Events events)
        : loop_(loop), socket_(std::move(socket)), name_(std::move(name)), events_(std::move(events)) {
        loop_.watch_socket(socket_.get(), [this] { drain(); });
    }
    ~PlainListener() override { loop_.unwatch_socket(socket_.get()); }
    const std::string& endpoint() const override { return name_; }
    Sent send(const std::string& route, const Parts& parts) override {
        return send_parts(socket_.get(), &route, parts);
    }

private:
    void drain() {
        const Credentials owner{true, {}, "uid:" + std::to_string(::getuid()), {}, ::getpid()};
        Incoming incoming;
        for (int i = 0; i < drain_limit && receive_parts(socket_.get(), true, incoming); ++i)
            if (events_.message && !incoming.parts.empty())
                events_.message(incoming.route, owner, std::move(incoming.parts));
    }

    EventLoop& loop_;
    RawSocket socket_;
    std::string name_;
    Events events_;
};

class PlainChannel final : public Channel {
public:
    PlainChannel(EventLoop& loop, RawSocket socket, RawSocket monitor, Events events)
        : loop_(loop), socket_(std::move(socket)), monitor_(std::move(monitor)), events_(std::move(events)) {
        loop_.watch_socket(socket_.get(), [this] { ready(); });
        loop_.watch_socket(monitor_.get(), [this] { watch(); });
    }
    ~PlainChannel() override {
        loop_.unwatch_socket(monitor_.get());
        loop_.unwatch_socket(socket_.get());
        zmq_socket_monitor(socket_.get(), nullptr, 0);
    }
    Sent send(const Parts& parts) override {
        if (down_) return Sent::gone;
        const Sent sent = send_parts(socket_.get(), nullptr, parts);
        if (sent == Sent::full && !std::exchange(waiting_, true)) loop_.want_write(socket_.get(), true);
        return sent;
    }

private:
    void ready() {
        Incoming incoming;
        for (int i = 0; i < drain_limit && receive_parts(socket_.get(), false, incoming); ++i)
            if (events_.message) events_.message(std::move(incoming.parts));
        int events = 0;
        std::size_t size = sizeof events;
        if (!waiting_ || down_ || zmq_getsockopt(socket_.get(), ZMQ_EVENTS, &events, &size) != 0) return;
        if ((events & ZMQ_POLLOUT) == 0) return;
        waiting_ = false;
        loop_.want_write(socket_.get(), false);
        if (events_.writable) events_.writable();
    }
    void watch() {
        while (const auto happened = next_event(monitor_.get())) {
            if (down_) continue;
            if (happened->event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED) {
                if (events_.up) events_.up();
                continue;
            }
            down_ = true;
            loop_.want_write(socket_.get(), false);
            if (events_.down) events_.down({ErrorCode::unavailable, "the connection ended", "bench", ""});
        }
    }

    EventLoop& loop_;
    RawSocket socket_, monitor_;
    Events events_;
    bool waiting_ = false, down_ = false;
};

}  // namespace

void Ports::put(const std::string& name, const std::string& endpoint) {
    const std::lock_guard lock(mutex_);
    endpoints_[name] = endpoint;
}

std::string Ports::find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto known = endpoints_.find(name);
    return known == endpoints_.end() ? std::string() : known->second;
}

Result<std::unique_ptr<Listener>> PlainTcp::listen(const ListenOptions& options, Listener::Events events) {
    RawSocket socket = make_socket(context_, ZMQ_ROUTER, options.purpose);
    set(socket.get(), ZMQ_ROUTER_MANDATORY, 1);
    set(socket.get(), ZMQ_ROUTER_HANDOVER, 1);
    char bound[256];
    std::size_t size = sizeof bound;
    if (zmq_bind(socket.get(), "tcp://127.0.0.1:*") != 0 ||
        zmq_getsockopt(socket.get(), ZMQ_LAST_ENDPOINT, bound, &size) != 0)
        return zmq_error("cannot listen", options.endpoint, "");
    ports_->put(options.endpoint, bound);
    return std::unique_ptr<Listener>(
        std::make_unique<PlainListener>(loop_, std::move(socket), options.endpoint, std::move(events)));
}

Result<std::unique_ptr<Channel>> PlainTcp::connect(const Address& address, Purpose purpose, const std::string& identity,
                                                   Channel::Events events) {
    const std::string endpoint = ports_->find(address.endpoint);
    if (endpoint.empty()) return Error{ErrorCode::unavailable, "nobody listens yet", address.endpoint, ""};
    RawSocket socket = make_socket(context_, ZMQ_DEALER, purpose);
    set(socket.get(), ZMQ_IMMEDIATE, 1);
    set(socket.get(), ZMQ_RECONNECT_IVL, -1);
    if (!identity.empty()) zmq_setsockopt(socket.get(), ZMQ_ROUTING_ID, identity.data(), identity.size());
    constexpr int watched = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED;
    DIVISI_ASSIGN(RawSocket monitor, make_monitor(context_, socket.get(), watched));
    if (zmq_connect(socket.get(), endpoint.c_str()) != 0) return zmq_error("cannot connect", endpoint, "");
    return std::unique_ptr<Channel>(
        std::make_unique<PlainChannel>(loop_, std::move(socket), std::move(monitor), std::move(events)));
}

}  // namespace divisi::bench
