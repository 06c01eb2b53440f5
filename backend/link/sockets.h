// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "backend/link/security.h"

namespace divisi::link {

/// Largest control message: a snapshot of a full state, or a model's skeleton with its task.
inline constexpr std::int64_t control_message_limit = 64LL << 20;
/// Largest data frame: a chunk of 1 MiB, its header, and what CURVE adds.
inline constexpr std::int64_t data_message_limit = (1LL << 20) + 4096;
/// Messages that a socket queues for one peer before it refuses more. Control messages are small and many
/// (a burst of events); data chunks are 1 MiB, and slots bound them long before.
inline constexpr int control_queue_limit = 4000;
inline constexpr int data_queue_limit = 1000;

/// How a socket proves who it is. Empty on ipc.
struct SocketSecurity {
    std::optional<KeyPair> keys;  ///< own pair; needed on tcp
    std::string server_key;       ///< when connecting: the other side's public key
};

/// A ZeroMQ socket with every limit set: MAXMSGSIZE, high-water marks, LINGER 0, IMMEDIATE, ROUTER_MANDATORY,
/// IPv4 and IPv6. It unlinks the ipc file that it bound. One thread uses it.
class Socket {
public:
    enum class Plane { control, data };

    /// `type` is ZMQ_ROUTER, ZMQ_DEALER, ...
    Socket(Context& context, int type, Plane plane);
    Socket(Socket&& other) noexcept;
    Socket& operator=(Socket&& other) noexcept;
    ~Socket();

    void* get() const { return socket_; }

    /// Binds to "tcp://ADDRESS:PORT" (port * or 0: any) or "ipc://PATH"; returns the endpoint for others. tcp
    /// needs keys. Fails with `conflict` when the port or path is in use, naming it.
    Result<std::string> bind(const std::string& endpoint, const SocketSecurity& security);
    Result<void> connect(const std::string& endpoint, const SocketSecurity& security);
    void close();

private:
    void* socket_ = nullptr;
    std::string ipc_path_;
};

/// Whether a process listens on the Unix socket at `path`; a bind would silently take it over.
bool somebody_listens(const std::string& path);

/// Checks an endpoint's form: scheme, address, port, length of an ipc path.
Result<void> check_endpoint(const std::string& endpoint);
inline bool is_ipc(const std::string& endpoint) { return endpoint.starts_with("ipc://"); }

/// Makes `folder` with mode 0700, or checks that it is this user's and closed to others.
Result<void> make_private_folder(const std::string& folder);

}  // namespace divisi::link
