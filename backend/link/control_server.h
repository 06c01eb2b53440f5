// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/control/orchestrator.h"
#include "backend/link/event_loop.h"
#include "backend/link/sockets.h"

namespace divisi::link {

/// The orchestrator's side of the control plane: one ROUTER socket per endpoint, a peer per connection. Turns
/// frames into control::Input and back. A peer that cannot take any more (its queue is full) or is gone is
/// reported as PeerGone; it will connect again and ask for a snapshot.
class ControlServer {
public:
    using Receive = std::function<void(const control::Input&)>;

    ControlServer(EventLoop& loop, Context& context, Receive receive);
    ~ControlServer();

    /// Returns the endpoint for others; may be called several times (ipc and tcp).
    Result<std::string> listen(const std::string& endpoint, const SocketSecurity& security);
    void send(const control::Send& send);

private:
    struct Incoming {
        std::uint64_t correlation = 0;
        std::uint16_t type = 0;
        const std::string& payload;
    };
    struct Remote {
        std::size_t socket = 0;
        std::string identity;
        TimePoint heard{};
        bool greeted = false;  ///< said Hello
    };

    void drain(std::size_t socket);
    void received(std::size_t socket, const std::string& identity, const Incoming& incoming, const std::string& user);
    control::PeerId peer_for(std::size_t socket, const std::string& identity, const std::string& user);
    void forget(control::PeerId peer);
    void forget_silent();

    EventLoop& loop_;
    Context& context_;
    Receive receive_;
    std::vector<Socket> sockets_;
    std::map<control::PeerId, Remote> remotes_;
    std::map<std::pair<std::size_t, std::string>, control::PeerId> by_identity_;
    std::uint64_t next_peer_ = 1;
    EventLoop::TimerId timer_ = 0;
};

}  // namespace divisi::link
