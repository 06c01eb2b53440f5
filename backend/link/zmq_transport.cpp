// SPDX-License-Identifier: Apache-2.0
#include "backend/link/zmq_transport.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "backend/link/error_texts.h"
#include "backend/link/zmq_socket.h"

namespace divisi::link {
namespace {

/// Returns the credentials that the access list currently grants to a ZAP user; nothing if it grants none.
std::optional<Credentials> credentials_of(Context& context, const std::string& user) {
    if (user.starts_with(uid_prefix)) {  // ZAP admitted only this user and root
        const auto mark = user.find(pid_mark);
        const std::string pid = mark == std::string::npos ? "0" : user.substr(mark + std::strlen(pid_mark));
        return Credentials{true, {}, user.substr(0, mark), {}, std::atoll(pid.c_str())};
    }
    const auto known = context.access_list().find(user);
    if (!known) return std::nullopt;
    return Credentials{false, known->role, known->name.empty() ? user : known->name, user};
}

class ZmqListener final : public Listener {
public:
    /// Without a `monitor`, ended connections are not reported and failed connections are not counted.
    ZmqListener(Context& context, EventLoop& loop, RawSocket socket, RawSocket monitor, std::string endpoint,
                Events events)
        : context_(context),
          socket_(std::move(socket)),
          monitor_(std::move(monitor)),
          endpoint_(std::move(endpoint)),
          events_(std::move(events)),
          loop_(loop) {
        loop_.watch_socket(socket_.get(), [this] { drain(); });
        if (monitor_)
            loop_.watch_socket(monitor_.get(), [this] {
                watch_connections();
                drain();
            });
    }
    ~ZmqListener() override {
        loop_.unwatch_socket(socket_.get());
        if (monitor_) {
            loop_.unwatch_socket(monitor_.get());
            zmq_socket_monitor(socket_.get(), nullptr, 0);
            monitor_.reset();
        }
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
        for (int i = 0; i < drain_limit; ++i) {
            // No message is left, so all messages of ended connections have been read.
            if (!receive_parts(socket_.get(), true, incoming)) return tell_gone();
            if (events_.gone) remember(incoming.descriptor, incoming.route);
            // The credentials are checked for every message, so that a key removed from the access list loses access
            // immediately.
            const auto credentials = credentials_of(context_, incoming.user);
            if (credentials && !incoming.parts.empty())
                events_.message(incoming.route, *credentials, std::move(incoming.parts));
        }
    }

    /// Records the route of a descriptor, because a ROUTER socket reports only which descriptor has ended, not which
    /// route.
    void remember(int descriptor, const std::string& route) {
        const auto known = routes_.find(descriptor);
        if (known != routes_.end() && known->second == route) return;
        watch_connections();  // the descriptor may have belonged to another connection before
        if (!open_.contains(descriptor)) return gone_.push_back(route);  // connection ended; this is its last message
        std::string& holder = routes_[descriptor];
        if (!holder.empty()) gone_.push_back(holder);
        holder = route;
    }
    void watch_connections() {
        while (const auto happened = next_event(monitor_.get())) {
            if (happened->event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL ||
                happened->event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL)
                context_.handshakes().leave_unfinished();
            if (!events_.gone) continue;
            if (happened->event == ZMQ_EVENT_ACCEPTED) open_.insert(happened->value);
            if (happened->event != ZMQ_EVENT_DISCONNECTED) continue;
            open_.erase(happened->value);
            if (auto route = routes_.extract(happened->value)) gone_.push_back(std::move(route.mapped()));
        }
    }
    void tell_gone() {
        for (const std::string& route : std::exchange(gone_, {})) events_.gone(route);
    }

    Context& context_;
    RawSocket socket_;
    RawSocket monitor_;
    std::string endpoint_;
    Events events_;
    std::set<int> open_;                 ///< descriptors of accepted connections
    std::map<int, std::string> routes_;  ///< routes of descriptors that have sent something
    std::vector<std::string> gone_;      ///< ended routes, reported once their messages are read
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

    void watch_state() {
        while (const auto happened = next_event(monitor_.get())) on_state(happened->event);
    }

    void on_state(int event) {
        if (down_) return;
        switch (event) {
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
                if (events_.up) events_.up();
                return;
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return end(make_error(error_text("key-refused"), endpoint_));
            case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
            case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
                // Also occurs if a connection broke during the handshake; another attempt may succeed.
                return end(make_error(error_text("handshake-failed"), endpoint_));
            case ZMQ_EVENT_DISCONNECTED:
                drain();  // delivers what arrived before the end, such as a goodbye
                return end(make_error(error_text("connection-ended"), endpoint_));
            case ZMQ_EVENT_CLOSED: return end(make_error(error_text("nobody-listens"), endpoint_));
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

constexpr int ended_or_accepted = ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED;
/// The events of a failed handshake. Refused keys are not among them, because the ZAP handler counts refused keys.
constexpr int failed = ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL;

}  // namespace

std::unique_ptr<Channel> make_channel(EventLoop& loop, RawSocket socket, RawSocket monitor, std::string endpoint,
                                      Channel::Events events) {
    return std::make_unique<ZmqChannel>(loop, std::move(socket), std::move(monitor), std::move(endpoint),
                                        std::move(events));
}

Result<std::unique_ptr<Listener>> ZmqTransport::listen(const ListenOptions& options, Listener::Events events) {
    DIVISI_TRY(check_endpoint(options.endpoint));
    const bool ipc = is_ipc(options.endpoint);
    DIVISI_ASSIGN(RawSocket socket, make_listener_socket(context_.get(), options.purpose, ipc, keys_));
    RawSocket monitor;
    if (events.gone || !ipc) {
        DIVISI_ASSIGN(monitor, make_monitor(context_.get(), socket.get(),
                                            (events.gone ? ended_or_accepted : 0) | (ipc ? 0 : failed)));
    }
    DIVISI_ASSIGN(std::string endpoint, bind_endpoint(socket.get(), options, ipc));
    return std::unique_ptr<Listener>(std::make_unique<ZmqListener>(
        context_, loop_, std::move(socket), std::move(monitor), std::move(endpoint), std::move(events)));
}

Result<std::unique_ptr<Channel>> ZmqTransport::connect(const Address& address, Purpose purpose,
                                                       const std::string& identity, Channel::Events events) {
    DIVISI_TRY(check_endpoint(address.endpoint));
    const bool ipc = is_ipc(address.endpoint);
    DIVISI_ASSIGN(RawSocket socket,
                  make_connector_socket(context_.get(), purpose, ipc, keys_, address.server_key, identity));
    DIVISI_ASSIGN(RawSocket monitor, make_monitor(context_.get(), socket.get(), channel_events));
    DIVISI_TRY(connect_endpoint(socket.get(), address.endpoint));
    return make_channel(loop_, std::move(socket), std::move(monitor), address.endpoint, std::move(events));
}

}  // namespace divisi::link
