// SPDX-License-Identifier: Apache-2.0
#include "backend/link/zmq_transport.h"

#include <cstring>
#include <sstream>

#include "backend/link/zmq_socket.h"

namespace divisi::link {
namespace {

/// Messages served in one round of the loop, so that one busy socket does not starve timers and others.
constexpr int drain_limit = 256;

/// What the policy makes of a ZAP user now. None: nothing any more.
std::optional<Credentials> credentials_of(Context& context, const std::string& user) {
    if (user.starts_with(uid_prefix)) return Credentials{true, {}, user};  // ZAP let only this user and root in
    const auto known = context.policy().find(user);
    if (!known) return std::nullopt;
    return Credentials{false, known->role, known->name.empty() ? user : known->name};
}

class ZmqListener final : public Listener {
public:
    ZmqListener(Context& context, EventLoop& loop, RawSocket socket, std::string endpoint, Events events)
        : context_(context),
          socket_(std::move(socket)),
          endpoint_(std::move(endpoint)),
          events_(std::move(events)),
          loop_(loop) {
        loop_.watch_socket(socket_.get(), [this] { drain(); });
    }
    ~ZmqListener() override {
        loop_.unwatch_socket(socket_.get());
        socket_.reset();
        remove_socket_file(endpoint_);
    }

    const std::string& endpoint() const override { return endpoint_; }
    Sent send(const std::string& route, const Parts& parts) override {
        return send_parts(socket_.get(), &route, parts);
    }

private:
    void drain() {
        Incoming incoming;
        for (int i = 0; i < drain_limit && receive_parts(socket_.get(), true, incoming); ++i) {
            // Asked for every message: who was taken off the allow-list is not heard any more.
            const auto credentials = credentials_of(context_, incoming.user);
            if (credentials && !incoming.parts.empty())
                events_.message(incoming.route, *credentials, std::move(incoming.parts));
        }
    }

    Context& context_;
    RawSocket socket_;
    std::string endpoint_;
    Events events_;
    EventLoop& loop_;
};

class ZmqChannel final : public Channel {
public:
    ZmqChannel(EventLoop& loop, RawSocket socket, RawSocket monitor, std::string endpoint, Events events)
        : socket_(std::move(socket)),
          monitor_(std::move(monitor)),
          endpoint_(std::move(endpoint)),
          events_(std::move(events)),
          loop_(loop) {
        loop_.watch_socket(socket_.get(), [this] { ready(); });
        loop_.watch_socket(monitor_.get(), [this] { watch_state(); });
    }
    ~ZmqChannel() override {
        loop_.unwatch_socket(monitor_.get());
        loop_.unwatch_socket(socket_.get());
        zmq_socket_monitor(socket_.get(), nullptr, 0);
    }

    Sent send(const Parts& parts) override {
        if (down_) return Sent::gone;
        const Sent sent = send_parts(socket_.get(), nullptr, parts);
        if (sent == Sent::full && !waiting_) {
            waiting_ = true;
            loop_.want_write(socket_.get(), true);
        }
        return sent;
    }

private:
    void ready() {
        drain();
        if (!waiting_ || down_) return;
        int events = 0;
        std::size_t size = sizeof events;
        if (zmq_getsockopt(socket_.get(), ZMQ_EVENTS, &events, &size) != 0 || (events & ZMQ_POLLOUT) == 0) return;
        waiting_ = false;
        loop_.want_write(socket_.get(), false);
        if (events_.writable) events_.writable();
    }

    void drain() {
        Incoming incoming;
        for (int i = 0; i < drain_limit && receive_parts(socket_.get(), false, incoming); ++i)
            if (events_.message) events_.message(std::move(incoming.parts));
    }

    /// Monitor events are two frames: number (16 bit) and value (32 bit), then the endpoint.
    void watch_state() {
        Incoming incoming;
        while (receive_parts(monitor_.get(), false, incoming)) {
            if (incoming.parts.empty() || incoming.parts[0].bytes.size() < 6) continue;
            std::uint16_t event = 0;
            std::memcpy(&event, incoming.parts[0].bytes.data(), sizeof event);
            on_state(event);
        }
    }

    void on_state(std::uint16_t event) {
        if (down_) return;
        switch (event) {
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
                if (events_.up) events_.up();
                return;
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
                return end({ErrorCode::denied, "the other side refuses this key", endpoint_,
                            "have the key added with `divisictl keys add`"});
            case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
            case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
                return end({ErrorCode::denied, "the handshake failed", endpoint_,
                            "check that the server key and the endpoint belong together"});
            case ZMQ_EVENT_DISCONNECTED:
                drain();  // what arrived before the end, such as a goodbye
                return end({ErrorCode::unavailable, "the connection ended", endpoint_, "trying again"});
            case ZMQ_EVENT_CLOSED:
                return end({ErrorCode::unavailable, "nobody listens", endpoint_, "start it, or check the address"});
            default: return;
        }
    }

    void end(Error error) {
        if (std::exchange(down_, true)) return;
        loop_.want_write(socket_.get(), false);
        if (events_.down) events_.down(std::move(error));
    }

    RawSocket socket_;
    RawSocket monitor_;
    std::string endpoint_;
    Events events_;
    bool down_ = false;
    bool waiting_ = false;
    EventLoop& loop_;
};

constexpr int monitored = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                          ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                          ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED;

}  // namespace

Result<std::unique_ptr<Listener>> ZmqTransport::listen(const ListenOptions& options, Listener::Events events) {
    DIVISI_TRY(check_endpoint(options.endpoint));
    const bool ipc = is_ipc(options.endpoint);
    DIVISI_ASSIGN(RawSocket socket, make_listener_socket(context_.get(), options.purpose, ipc, keys_));
    DIVISI_ASSIGN(std::string endpoint, bind_endpoint(socket.get(), options, ipc));
    return std::unique_ptr<Listener>(
        std::make_unique<ZmqListener>(context_, loop_, std::move(socket), std::move(endpoint), std::move(events)));
}

Result<std::unique_ptr<Channel>> ZmqTransport::connect(const Address& address, Purpose purpose,
                                                       const std::string& identity, Channel::Events events) {
    DIVISI_TRY(check_endpoint(address.endpoint));
    const bool ipc = is_ipc(address.endpoint);
    DIVISI_ASSIGN(RawSocket socket,
                  make_connector_socket(context_.get(), purpose, ipc, keys_, address.server_key, identity));
    // The socket's address is unique as long as its monitor lives.
    std::ostringstream address_of_socket;
    address_of_socket << "inproc://monitor-" << socket.get();
    const std::string name = address_of_socket.str();
    if (zmq_socket_monitor(socket.get(), name.c_str(), monitored) != 0)
        return zmq_error("the connection cannot be watched", address.endpoint, "raise the limit of open files");
    RawSocket monitor(zmq_socket(context_.get(), ZMQ_PAIR));
    const int now = 0;
    if (!monitor || zmq_setsockopt(monitor.get(), ZMQ_LINGER, &now, sizeof now) != 0 ||
        zmq_connect(monitor.get(), name.c_str()) != 0)
        return zmq_error("the connection cannot be watched", address.endpoint, "raise the limit of open files");
    if (zmq_connect(socket.get(), address.endpoint.c_str()) != 0)
        return zmq_error("cannot connect", address.endpoint, "check the address");
    return std::unique_ptr<Channel>(std::make_unique<ZmqChannel>(loop_, std::move(socket), std::move(monitor),
                                                                 address.endpoint, std::move(events)));
}

}  // namespace divisi::link
