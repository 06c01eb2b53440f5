// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/base/result.h"
#include "backend/identity/credentials.h"

namespace divisi::link {

using identity::Credentials;

/// A piece of a message: bytes that somebody keeps alive. Copying a Part copies no bytes.
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

/// What a socket is for decides its limits (limits_of) and its ZAP domain.
enum class Purpose { control, data, lane, blob };

struct SocketLimits {
    std::size_t message_bytes;  ///< of one part; what is larger ends the connection
    int queued_messages;        ///< in each direction, before a sender is told `full`
};
SocketLimits limits_of(Purpose purpose);

enum class Sent { yes, full, gone };

struct Address {
    std::string endpoint;    ///< ipc:///path, tcp://host:port, or mem://name in simulation
    std::string server_key;  ///< CURVE public key, Z85; needed on tcp, empty otherwise
    auto operator<=>(const Address&) const = default;
};

/// One attempt to reach a listener: up at most once, then down at most once. Callbacks come on the loop's
/// thread and never from inside send().
class Channel {
public:
    struct Events {
        std::function<void()> up;
        std::function<void(Error)> down;
        std::function<void(Parts)> message;
        std::function<void()> writable;  ///< after send() said `full`
    };
    virtual ~Channel() = default;
    virtual Sent send(const Parts& parts) = 0;
};

/// Many connections' other end. `route` names one of them.
class Listener {
public:
    struct Events {
        std::function<void(const std::string& route, const Credentials&, Parts)> message;
        /// The route's connection has ended, also because its process was killed; after its last message. May come
        /// twice, and for a route that never sent anything.
        std::function<void(const std::string& route)> gone;
    };
    virtual ~Listener() = default;
    /// The endpoint in force: a port that the system chose is filled in.
    virtual const std::string& endpoint() const = 0;
    /// `gone`: the route's connection has ended. `full`: try again later, nothing was sent.
    virtual Sent send(const std::string& route, const Parts& parts) = 0;
};

struct ListenOptions {
    std::string endpoint;
    Purpose purpose = Purpose::control;
    bool allow_remote = false;  ///< tcp beyond loopback; only where the cluster file says so
};

/// Where connections come from: ZeroMQ in processes, memory in simulation and unit tests.
class Transport {
public:
    virtual ~Transport() = default;
    virtual Result<std::unique_ptr<Listener>> listen(const ListenOptions& options, Listener::Events events) = 0;
    /// `identity` is the route under which the listener sees this connection; empty: any of its choice.
    virtual Result<std::unique_ptr<Channel>> connect(const Address& address, Purpose purpose,
                                                     const std::string& identity, Channel::Events events) = 0;
};

}  // namespace divisi::link
