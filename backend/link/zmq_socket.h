// SPDX-License-Identifier: Apache-2.0
#pragma once

// Private to link: the only header that includes ZeroMQ's.

#include <zmq.h>

#include <memory>
#include <string>

#include "backend/link/sockets.h"
#include "backend/link/transport.h"

namespace divisi::link {

struct SocketCloser {
    void operator()(void* socket) const { zmq_close(socket); }
};
using RawSocket = std::unique_ptr<void, SocketCloser>;

/// Why ZeroMQ refused, as an Error of ours.
Error zmq_error(const std::string& what, const std::string& where, const std::string& next);

/// Every socket gets its limits and its security here, and nowhere else.
Result<RawSocket> make_listener_socket(void* context, Purpose purpose, bool ipc, const std::optional<KeyPair>& keys);
Result<RawSocket> make_connector_socket(void* context, Purpose purpose, bool ipc, const std::optional<KeyPair>& keys,
                                        const std::string& server_key, const std::string& identity);

/// Refuses what must not be listened on, clears a dead socket file away, binds, and returns the endpoint in
/// force. `conflict` when somebody listens there already.
Result<std::string> bind_endpoint(void* socket, const ListenOptions& options, bool ipc);
/// Removes the socket file of an ipc endpoint.
void remove_socket_file(const std::string& endpoint);

/// Sends all parts or none.
Sent send_parts(void* socket, const std::string* route, const Parts& parts);

/// A received message: the route (listeners only), its parts, and who ZAP says that it is.
struct Incoming {
    std::string route;
    std::string user;
    Parts parts;
};
/// False when nothing is waiting.
bool receive_parts(void* socket, bool with_route, Incoming& incoming);

}  // namespace divisi::link
