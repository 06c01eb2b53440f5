// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "backend/base/result.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

// The first and last messages of a connection, and the messages that keep it alive.

/// Version of the control plane protocol. Increases when a message changes its meaning. Both ends state their version
/// in their first message, and refuse any other version. A peer without a version has the value 0.
inline constexpr std::uint32_t protocol_version = 1;
/// Fails if `protocol` is not our protocol version. `version` is the Divisi version of the peer, for the error.
Result<void> check_protocol(std::uint32_t protocol, const std::string& version, const std::string& where);

/// The first message on every connection, of clients and agents alike. `role` is the requested role; it is granted only
/// if the key (or, on ipc, the uid) allows it. Answered by Welcome.
struct Hello {
    std::string program;
    std::string version;
    Role role = Role::viewer;
    /// Set by clients on ipc: the public key that the client uses with nodes on tcp. While the connection is open, the
    /// key is trusted because of the client's uid. On tcp the connection itself proves the key.
    std::string key;
    /// Unique identity of the sender's process: 32 random hexadecimal digits. If a hello has the same value and the
    /// same key or uid, the same process has reconnected. The process's old connection then ends.
    std::string process = {};
    std::uint32_t protocol = protocol_version;
};
struct Welcome {
    std::string cluster;
    std::string version;
    Role role = Role::viewer;
    std::uint64_t sequence = 0;
    std::uint32_t protocol = protocol_version;
};
/// Sent to the orchestrator at every heartbeat interval. The orchestrator answers each Heartbeat with a Heartbeat.
struct Heartbeat {};
/// The last message on a connection, in either direction. The sender ends in an orderly way and will not reconnect by
/// itself.
struct Goodbye {
    std::string reason;
};
struct Shutdown {
    std::string reason;
};

}  // namespace divisi::control::inline protocol
