// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/mesh/plain_tcp.h"

#include <unistd.h>

#include <utility>

#include "backend/link/error_texts.h"
#include "backend/link/zmq_socket.h"

namespace divisi::bench {
namespace {

using namespace link;

template <typename T>
void set(void* socket, int option, const T& value) {
    zmq_setsockopt(socket, option, &value, sizeof value);
}

RawSocket make_socket(void* context, int type, Purpose purpose) {
    RawSocket socket(zmq_socket(context, type));
    (void)apply_limits(socket.get(), purpose);
    set(socket.get(), ZMQ_LINGER, 0);
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
        return zmq_error(link::error_text("cannot-listen"), options.endpoint);
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
    DIVISI_ASSIGN(RawSocket monitor, make_monitor(context_, socket.get(), channel_events));
    if (zmq_connect(socket.get(), endpoint.c_str()) != 0)
        return zmq_error(link::error_text("cannot-connect"), endpoint);
    return make_channel(loop_, std::move(socket), std::move(monitor), endpoint, std::move(events));
}

}  // namespace divisi::bench
