// SPDX-License-Identifier: Apache-2.0
#pragma once

// Used only by link. No other header includes the header of ZeroMQ.

#include <zmq.h>

#include <memory>
#include <optional>
#include <string>

#include "backend/base/error_text.h"
#include "backend/link/sockets.h"
#include "backend/link/transport.h"

namespace divisi::link {

class EventLoop;

struct SocketCloser {
    void operator()(void* socket) const { zmq_close(socket); }
};
using RawSocket = std::unique_ptr<void, SocketCloser>;

/// Returns the error with the reason of ZeroMQ's current error as its argument.
Error zmq_error(const ErrorText& text, const std::string& where);

/// Sets the limits on message sizes, queues and connections. Returns false if ZeroMQ refuses.
bool apply_limits(void* socket, Purpose purpose);
/// This function and the next one create all sockets for connections. Only they set limits and security.
Result<RawSocket> make_listener_socket(void* context, Purpose purpose, bool ipc, const std::optional<KeyPair>& keys);
Result<RawSocket> make_connector_socket(void* context, Purpose purpose, bool ipc, const std::optional<KeyPair>& keys,
                                        const std::string& server_key, const std::string& identity);

/// Refuses forbidden endpoints, removes a dead socket file, binds, and returns the actual endpoint. Fails with
/// `conflict` if a process already listens on the endpoint.
Result<std::string> bind_endpoint(void* socket, const ListenOptions& options, bool ipc);
Result<void> connect_endpoint(void* socket, const std::string& endpoint);
/// Removes the socket file of an ipc endpoint.
void remove_socket_file(const std::string& endpoint);

/// Creates a second socket that reports events on the first socket's connections; `events` are ZMQ_EVENT_... bits.
/// The second socket must be created before the first one binds or connects, and be closed before the first one.
Result<RawSocket> make_monitor(void* context, void* socket, int events);
struct MonitorEvent {
    int event = 0;
    int value = 0;  ///< the connection's descriptor, for most events
};
/// Returns the next event; nothing if none is waiting.
std::optional<MonitorEvent> next_event(void* monitor);

/// Adds a connecting socket to the loop; `monitor` reports the socket's events.
std::unique_ptr<Channel> make_channel(EventLoop& loop, RawSocket socket, RawSocket monitor, std::string endpoint,
                                      Channel::Events events);
inline constexpr int channel_events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                                      ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                                      ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED;

/// Maximum number of messages handled in one round of the loop, so that a busy socket does not starve timers and other
/// sockets.
inline constexpr int drain_limit = 256;

/// Sends all parts or none.
Sent send_parts(void* socket, const std::string* route, const Parts& parts);

/// A received message: its parts, the user that ZAP identified, and, for listeners only, the route and its connection's
/// descriptor.
struct Incoming {
    std::string route;
    int descriptor = -1;
    std::string user;
    Parts parts;
};
/// Receives a message; returns false if none is waiting.
bool receive_parts(void* socket, bool with_route, Incoming& incoming);

}  // namespace divisi::link
