// SPDX-License-Identifier: Apache-2.0
#include "backend/link/zmq_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "backend/frame/control_frame.h"
#include "backend/frame/demand.h"
#include "backend/frame/frame.h"
#include "backend/link/error_texts.h"
#include "backend/link/handshakes.h"
#include "backend/mesh/signaling/load_advert.h"
#include "backend/mesh/signaling/rsvp.h"

namespace divisi::link {
namespace {

/// ZMQ_ZAP_ENFORCE_DOMAIN. Debian's header lacks this option, because the option belongs to the draft interface, but
/// the library supports it. Without this option, a socket whose ZAP handler is missing admits every key.
constexpr int zap_enforce_domain = 93;
/// Time to send pending messages, such as a goodbye or a last reply, when a socket closes.
constexpr int linger_ms = 200;
constexpr int handshake_ms = handshake_limit / std::chrono::milliseconds(1);
/// Limit on connections that wait to be accepted; large enough that a burst of connections is not delayed by a second.
constexpr int waiting_connections = 1'024;
/// Bytes that CURVE adds to the payload of a message: a nonce and a tag, which count towards MAXMSGSIZE.
constexpr std::int64_t curve_overhead = 64;
/// Smallest size sent without a copy; below it, copying is cheaper than keeping the owner alive.
constexpr std::size_t zero_copy_from = 64u << 10;
/// Kernel buffer of data and blob sockets, which move megabytes; a small buffer costs a wake-up for every 200 KiB.
constexpr int data_buffer_bytes = 4 << 20;
/// Limit on stored parts. Divisi's messages have at most two parts; parts beyond the limit are discarded.
constexpr std::size_t max_parts = 4;

template <typename T>
bool set(void* socket, int option, const T& value) {
    return zmq_setsockopt(socket, option, &value, sizeof value) == 0;
}
bool set_text(void* socket, int option, const std::string& value) {
    return zmq_setsockopt(socket, option, value.data(), value.size()) == 0;
}

Error no_key(const std::string& whose) {
    return make_error(error_text("endpoint-needs-keys"), "link security", {whose});
}

std::string path_of(const std::string& endpoint) { return endpoint.substr(std::strlen("ipc://")); }

/// Returns whether the endpoint is on loopback, such as tcp://127.0.0.1:5555; false for an interface's name or a
/// wildcard.
bool is_loopback(const std::string& endpoint) {
    return endpoint.starts_with("tcp://127.") || endpoint.starts_with("tcp://[::1]:") ||
           endpoint.starts_with("tcp://localhost:");
}

Result<void> check_folder(const std::string& path) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    struct stat info {};
    if (lstat(folder.c_str(), &info) != 0)
        return make_error(error_text("no-folder-for-socket"), folder, {std::strerror(errno)});
    if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077) != 0)
        return make_error(error_text("folder-not-private"), folder);
    return {};
}

/// Removes a leftover socket file on which no process listens. Fails with `conflict` if a process uses it, or if the
/// file is not a socket.
Result<void> clear_socket_file(const std::string& endpoint) {
    const std::string path = path_of(endpoint);
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) return {};
    if (!S_ISSOCK(info.st_mode)) return make_error(error_text("no-socket-in-the-way"), path);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool alive = connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    if (alive) return make_error(error_text("socket-in-use"), path);
    unlink(path.c_str());
    return {};
}

void release(void*, void* hint) { delete static_cast<std::shared_ptr<const void>*>(hint); }

bool send_one(void* socket, const Part& part, int flags) {
    zmq_msg_t message;
    auto* data = const_cast<std::byte*>(part.bytes.data());  // ZeroMQ only reads the data that it sends
    if (part.owner && part.bytes.size() >= zero_copy_from) {
        auto hint = std::make_unique<std::shared_ptr<const void>>(part.owner);
        if (zmq_msg_init_data(&message, data, part.bytes.size(), release, hint.get()) != 0) return false;
        (void)hint.release();  // the message owns the hint now, and frees it by release()
    } else {
        if (zmq_msg_init_size(&message, part.bytes.size()) != 0) return false;
        if (!part.bytes.empty()) std::memcpy(zmq_msg_data(&message), data, part.bytes.size());
    }
    if (zmq_msg_send(&message, socket, flags | ZMQ_DONTWAIT) >= 0) return true;
    const int reason = errno;
    zmq_msg_close(&message);
    errno = reason;
    return false;
}

/// Enables IPv6 only for IPv6 addresses, because otherwise ZeroMQ would write 127.0.0.1 as a mapped address.
bool use_family(void* socket, const std::string& endpoint) {
    return set(socket, ZMQ_IPV6, endpoint.find('[') == std::string::npos ? 0 : 1);
}

struct Frame {
    Frame() { zmq_msg_init(&message); }
    ~Frame() { zmq_msg_close(&message); }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    std::span<const std::byte> bytes() {
        return {static_cast<const std::byte*>(zmq_msg_data(&message)), zmq_msg_size(&message)};
    }
    zmq_msg_t message;
};

}  // namespace

bool apply_limits(void* socket, Purpose purpose) {
    const SocketLimits limits = limits_of(purpose);
    const bool bulk = purpose == Purpose::data || purpose == Purpose::blob;
    return set(socket, ZMQ_MAXMSGSIZE, static_cast<std::int64_t>(limits.message_bytes) + curve_overhead) &&
           set(socket, ZMQ_SNDHWM, limits.queued_messages) && set(socket, ZMQ_RCVHWM, limits.queued_messages) &&
           set(socket, ZMQ_LINGER, linger_ms) && set(socket, ZMQ_HANDSHAKE_IVL, handshake_ms) &&
           set(socket, ZMQ_BACKLOG, waiting_connections) &&
           (!bulk || (set(socket, ZMQ_SNDBUF, data_buffer_bytes) && set(socket, ZMQ_RCVBUF, data_buffer_bytes)));
}

SocketLimits limits_of(Purpose purpose) {
    switch (purpose) {
        // Frames of at most 64 KiB. The largest message, a snapshot, needs a thousand frames, and bursts of events
        // queue up while a machine is busy.
        case Purpose::control: return {frame::control_frame_limit, 2048};
        // One chunk of a tensor; 32 MiB may queue at a receiver that is computing.
        case Purpose::data: return {frame::max_chunk_bytes, 32};
        // The lane carries headers, demands for data, RSVP and signaling type 4, so that acknowledgements and slots
        // never wait behind data.
        case Purpose::lane:
            return {std::max({frame::fixed_header_bytes + frame::max_routing_bytes, frame::max_demand_bytes,
                              mesh::max_rsvp_bytes, mesh::max_load_bytes}),
                    10'000};
        case Purpose::blob: return {frame::max_chunk_bytes, 16};
    }
    return {0, 1};
}

Error zmq_error(const ErrorText& text, const std::string& where) {
    return make_error(text, where, {zmq_strerror(zmq_errno())});
}

Result<RawSocket> make_listener_socket(void* context, Purpose purpose, bool ipc, const std::optional<KeyPair>& keys) {
    if (!ipc && !keys) return no_key("a key pair");
    RawSocket socket(zmq_socket(context, ZMQ_ROUTER));
    if (!socket) return zmq_error(error_text("no-socket"), "link");
    const std::string domain = ipc ? "divisi-ipc" : "divisi-tcp";
    int enforced = 0;
    std::size_t size = sizeof enforced;
    bool good = apply_limits(socket.get(), purpose) && set(socket.get(), ZMQ_ROUTER_MANDATORY, 1) &&
                set(socket.get(), ZMQ_ROUTER_HANDOVER, 1) && set_text(socket.get(), ZMQ_ZAP_DOMAIN, domain) &&
                set(socket.get(), zap_enforce_domain, 1) &&
                zmq_getsockopt(socket.get(), zap_enforce_domain, &enforced, &size) == 0 && enforced == 1;
    if (good && !ipc)
        good = set(socket.get(), ZMQ_CURVE_SERVER, 1) &&
               zmq_setsockopt(socket.get(), ZMQ_CURVE_SECRETKEY, keys->secret_key.c_str(), 41) == 0;
    if (!good) return zmq_error(error_text("socket-cannot-be-secured"), "link");
    return socket;
}

Result<RawSocket> make_connector_socket(void* context, Purpose purpose, bool ipc, const std::optional<KeyPair>& keys,
                                        const std::string& server_key, const std::string& identity) {
    if (!ipc && !keys) return no_key("a key pair of this process");
    if (!ipc && !is_public_key(server_key)) return no_key("the server's public key");
    RawSocket socket(zmq_socket(context, ZMQ_DEALER));
    if (!socket) return zmq_error(error_text("no-socket"), "link");
    bool good = apply_limits(socket.get(), purpose) && set(socket.get(), ZMQ_IMMEDIATE, 1) &&
                set(socket.get(), ZMQ_RECONNECT_IVL, -1);  // the dialer reconnects, and reports each attempt
    if (good && !identity.empty()) good = set_text(socket.get(), ZMQ_ROUTING_ID, identity);
    if (good && !ipc)
        good = zmq_setsockopt(socket.get(), ZMQ_CURVE_SERVERKEY, server_key.c_str(), 41) == 0 &&
               zmq_setsockopt(socket.get(), ZMQ_CURVE_PUBLICKEY, keys->public_key.c_str(), 41) == 0 &&
               zmq_setsockopt(socket.get(), ZMQ_CURVE_SECRETKEY, keys->secret_key.c_str(), 41) == 0;
    if (!good) return zmq_error(error_text("socket-cannot-be-secured"), "link");
    return socket;
}

Result<std::string> bind_endpoint(void* socket, const ListenOptions& options, bool ipc) {
    if (ipc) {
        DIVISI_TRY(check_folder(path_of(options.endpoint)));
        DIVISI_TRY(clear_socket_file(options.endpoint));
    } else if (!options.allow_remote && !is_loopback(options.endpoint)) {
        return make_error(error_text("remote-listening-not-allowed"), options.endpoint);
    }
    if (!use_family(socket, options.endpoint) || zmq_bind(socket, options.endpoint.c_str()) != 0) {
        if (zmq_errno() == EADDRNOTAVAIL || zmq_errno() == ENODEV)
            return make_error(error_text("no-address-of-machine"), options.endpoint);
        if (zmq_errno() != EADDRINUSE) return zmq_error(error_text("cannot-listen"), options.endpoint);
        const std::string port = options.endpoint.substr(options.endpoint.rfind(':') + 1);
        return make_error(error_text("port-in-use"), options.endpoint, {port});
    }
    if (ipc) chmod(path_of(options.endpoint).c_str(), 0600);
    std::array<char, 256> endpoint{};
    std::size_t size = endpoint.size();
    if (zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint.data(), &size) != 0) return options.endpoint;
    return std::string(endpoint.data());
}

Result<void> connect_endpoint(void* socket, const std::string& endpoint) {
    if (!use_family(socket, endpoint) || zmq_connect(socket, endpoint.c_str()) != 0)
        return zmq_error(error_text("cannot-connect"), endpoint);
    return {};
}

Result<RawSocket> make_monitor(void* context, void* socket, int events) {
    // The memory address of the socket is a unique name as long as its monitor exists.
    std::ostringstream name;
    name << "inproc://monitor-" << socket;
    RawSocket monitor(zmq_socket(context, ZMQ_PAIR));
    // The queue has no limit, because otherwise ZeroMQ's own thread would wait for room in this queue.
    if (!monitor || !set(monitor.get(), ZMQ_LINGER, 0) || !set(monitor.get(), ZMQ_RCVHWM, 0) ||
        zmq_socket_monitor(socket, name.str().c_str(), events) != 0 ||
        zmq_connect(monitor.get(), name.str().c_str()) != 0)
        return zmq_error(error_text("socket-cannot-be-watched"), "link");
    return monitor;
}

/// Returns the next event. A monitor message has two frames: number (16 bit) and value (32 bit), then the endpoint.
std::optional<MonitorEvent> next_event(void* monitor) {
    Incoming incoming;
    while (receive_parts(monitor, false, incoming)) {
        if (incoming.parts.empty() || incoming.parts[0].bytes.size() < 6) continue;
        std::uint16_t event = 0;
        std::int32_t value = 0;
        std::memcpy(&event, incoming.parts[0].bytes.data(), sizeof event);
        std::memcpy(&value, incoming.parts[0].bytes.data() + sizeof event, sizeof value);
        return MonitorEvent{event, value};
    }
    return std::nullopt;
}

void remove_socket_file(const std::string& endpoint) {
    if (endpoint.starts_with("ipc:///")) unlink(path_of(endpoint).c_str());
}

Sent send_parts(void* socket, const std::string* route, const Parts& parts) {
    const auto first = [&] {
        if (route == nullptr) return send_one(socket, parts.front(), parts.size() > 1 ? ZMQ_SNDMORE : 0);
        return zmq_send(socket, route->data(), route->size(), ZMQ_SNDMORE | ZMQ_DONTWAIT) >= 0;
    };
    if (!first()) {
        if (errno == EHOSTUNREACH) return Sent::gone;
        // ZeroMQ checks its mailbox only occasionally. Reading ZMQ_EVENTS forces the check, so a new connection or new
        // room is noticed.
        int events = 0;
        std::size_t size = sizeof events;
        zmq_getsockopt(socket, ZMQ_EVENTS, &events, &size);
        if (!first()) return errno == EHOSTUNREACH ? Sent::gone : Sent::full;
    }
    // Once the first part is accepted, the others are accepted unconditionally.
    for (std::size_t i = route == nullptr ? 1 : 0; i < parts.size(); ++i)
        if (!send_one(socket, parts[i], i + 1 < parts.size() ? ZMQ_SNDMORE : 0)) return Sent::gone;
    return Sent::yes;
}

bool receive_parts(void* socket, bool with_route, Incoming& incoming) {
    incoming = {};
    for (std::size_t index = 0;; ++index) {
        auto frame = std::make_shared<Frame>();
        if (zmq_msg_recv(&frame->message, socket, ZMQ_DONTWAIT) < 0) return false;
        const bool more = zmq_msg_more(&frame->message) != 0;
        const auto bytes = frame->bytes();
        if (with_route && index == 0) {
            incoming.route.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        } else {
            if (const char* user = zmq_msg_gets(&frame->message, "User-Id")) incoming.user = user;
            if (with_route) incoming.descriptor = zmq_msg_get(&frame->message, ZMQ_SRCFD);
            if (incoming.parts.size() < max_parts) incoming.parts.push_back({std::move(frame), bytes});
        }
        if (!more) return true;
    }
}

}  // namespace divisi::link
