// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to link: the only header that includes ZeroMQ's.

#include <zmq.h>

#include <memory>
#include <optional>
#include <string>

#include "backend/link/sockets.h"
#include "backend/link/transport.h"

namespace divisi::link {

class EventLoop;

struct SocketCloser {
    void operator()(void* socket) const { zmq_close(socket); }
};
using RawSocket = std::unique_ptr<void, SocketCloser>;

/// Why ZeroMQ refused, as an Error of ours.
Error zmq_error(const std::string& what, const std::string& where, const std::string& next);

/// Sizes and numbers of messages, and what a connection may take. False where ZeroMQ refuses.
bool apply_limits(void* socket, Purpose purpose);
/// Every socket gets its limits and its security here, and nowhere else.
Result<RawSocket> make_listener_socket(void* context, Purpose purpose, bool ipc, const std::optional<KeyPair>& keys);
Result<RawSocket> make_connector_socket(void* context, Purpose purpose, bool ipc, const std::optional<KeyPair>& keys,
                                        const std::string& server_key, const std::string& identity);

/// Refuses what must not be listened on, clears a dead socket file away, binds, and returns the endpoint in
/// force. `conflict` when somebody listens there already.
Result<std::string> bind_endpoint(void* socket, const ListenOptions& options, bool ipc);
Result<void> connect_endpoint(void* socket, const std::string& endpoint);
/// Removes the socket file of an ipc endpoint.
void remove_socket_file(const std::string& endpoint);

/// A second socket that tells what happens to the first one's connections; `events` are ZMQ_EVENT_... bits. It must
/// exist before the first binds or connects, and close before it.
Result<RawSocket> make_monitor(void* context, void* socket, int events);
struct MonitorEvent {
    int event = 0;
    int value = 0;  ///< for most the connection's descriptor
};
/// None when nothing is waiting.
std::optional<MonitorEvent> next_event(void* monitor);

/// A connector's socket on the loop. `monitor` tells of these events of it.
std::unique_ptr<Channel> make_channel(EventLoop& loop, RawSocket socket, RawSocket monitor, std::string endpoint,
                                      Channel::Events events);
inline constexpr int channel_events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                                      ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                                      ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED;

/// Messages served in one round of the loop, so that one busy socket does not starve timers and others.
inline constexpr int drain_limit = 256;

/// Sends all parts or none.
Sent send_parts(void* socket, const std::string* route, const Parts& parts);

/// A received message: the route and its connection's descriptor (listeners only), its parts, and who ZAP says
/// that it is.
struct Incoming {
    std::string route;
    int descriptor = -1;
    std::string user;
    Parts parts;
};
/// False when nothing is waiting.
bool receive_parts(void* socket, bool with_route, Incoming& incoming);

}  // namespace divisi::link
