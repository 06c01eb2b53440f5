// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/identity/role.h"

namespace divisi::link {

using identity::Credentials;

/// A part of a message: bytes that `owner` keeps alive. Copying a Part copies no bytes.
struct Part {
    std::shared_ptr<const void> owner;
    std::span<const std::byte> bytes;

    static Part of(std::string text) {
        auto held = std::make_shared<const std::string>(std::move(text));
        const auto bytes = std::as_bytes(std::span(*held));
        return {std::move(held), bytes};
    }
};
using Parts = std::vector<Part>;

/// The use of a socket; determines its limits (limits_of).
enum class Purpose { control, data, lane, blob };

struct SocketLimits {
    std::size_t message_bytes;  ///< limit for one part; a larger part ends the connection
    int queued_messages;        ///< limit on queued messages in each direction; at the limit, send() returns `full`
};
SocketLimits limits_of(Purpose purpose);

enum class Sent { yes, full, gone };

struct Address {
    std::string endpoint;    ///< ipc:///path, tcp://host:port, or mem://name in simulation
    std::string server_key;  ///< CURVE public key, Z85; required on tcp, empty otherwise
    auto operator<=>(const Address&) const = default;
};

/// One attempt to connect to a listener. The channel goes up at most once, and then down at most once. Callbacks run on
/// the loop's thread, and never inside send().
class Channel {
public:
    struct Events {
        std::function<void()> up;
        std::function<void(Error)> down;
        std::function<void(Parts)> message;
        std::function<void()> writable;  ///< called when a message may be sent again after send() returned `full`
    };
    virtual ~Channel() = default;
    virtual Sent send(const Parts& parts) = 0;
};

/// The listening end of many connections; `route` names one of them.
class Listener {
public:
    struct Events {
        std::function<void(const std::string& route, const Credentials&, Parts)> message;
        /// The route's connection has ended, for example because its process was killed. Called after the route's last
        /// message. May be called twice, and for a route that never sent anything.
        std::function<void(const std::string& route)> gone;
    };
    virtual ~Listener() = default;
    /// Returns the actual endpoint: a port chosen by the system is filled in.
    virtual const std::string& endpoint() const = 0;
    /// Sends a message. `gone`: the route's connection has ended. `full`: nothing was sent; try again later.
    virtual Sent send(const std::string& route, const Parts& parts) = 0;
};

struct ListenOptions {
    std::string endpoint;
    Purpose purpose = Purpose::control;
    bool allow_remote = false;  ///< allows tcp beyond loopback; set only if the cluster file allows it
};

/// Creates connections: over ZeroMQ in processes, in memory in simulation and unit tests.
class Transport {
public:
    virtual ~Transport() = default;
    virtual Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, Listener::Events events) = 0;
    /// `identity` is the route name under which the listener sees this connection; if empty, the listener chooses one.
    virtual Result<std::unique_ptr<Channel>> connect(const Address& address, Purpose purpose,
                                                     const std::string& identity, Channel::Events events) = 0;
};

}  // namespace divisi::link
