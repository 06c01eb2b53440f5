// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/control/protocol/orchestrator_io.h"
#include "backend/control/protocol/silence.h"
#include "backend/frame/control_frame.h"
#include "backend/link/loop.h"
#include "backend/link/transport.h"
#include "backend/wire/message_codec.h"

namespace divisi::link {

/// Connections at once; an orchestrator serves some hundred agents and a few clients.
inline constexpr std::size_t most_peers = 4096;
/// Bytes of half-arrived messages of all peers together: several models being submitted at once.
inline constexpr std::size_t most_assembling = 128u << 20;

/// Whether the process has ended. Only for processes of this machine: the kernel says who they are (Credentials::pid).
bool process_has_ended(std::int64_t pid);

/// The orchestrator's side of the control plane: listeners, and a peer per connection that said Hello. Turns
/// frames into control::Input and back. A peer whose connection ends, that falls silent, that cannot take any more
/// (its queue is full) or that breaks the protocol is reported as PeerGone; it will connect again and ask for a
/// snapshot. Where it was a process of this machine and has ended, PeerEnded follows.
class ControlServer {
public:
    using Receive = std::function<void(const control::Input&)>;

    using Ended = std::function<bool(std::int64_t pid)>;

    ControlServer(Loop& loop, Receive receive, Ended ended = process_has_ended);

    /// Returns the endpoint for others; may be called several times (ipc and tcp).
    Result<std::string> listen(Transport& transport, const std::string& endpoint);
    void send(const control::Send& send);
    /// To every peer, of whatever kind.
    void send_all(const control::Message& message);
    /// Forgets the peer: what it still says on this connection is refused. No PeerGone follows.
    void close(control::PeerId peer);

private:
    using Route = std::pair<std::size_t, std::string>;  ///< listener and the connection's name there
    struct Remote {
        Route route;
        frame::ControlAssembler assembler{wire::size_limit};
        std::int64_t pid = 0;  ///< on ipc
    };

    void on_frame(const Route& route, const Credentials& credentials, const Parts& parts);
    bool welcome(const Route& route, const Credentials& credentials, const frame::ControlHeader& header);
    void on_message(control::PeerId peer, const frame::ControlHeader& header, const std::string& payload);
    Result<std::optional<std::string>> assemble(Remote& remote, const frame::ControlHeader& header,
                                                std::span<const std::byte> bytes);
    Sent transmit(const Route& route, std::uint64_t correlation, const control::Message& message);
    void drop(control::PeerId peer, const Error& why);
    void forget(control::PeerId peer, const std::string& why, bool closed = false);
    void look_for_silent();
    void look_for_ended();

    Loop& loop_;
    Receive receive_;
    Ended ended_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    std::map<control::PeerId, Remote> remotes_;
    std::map<Route, control::PeerId> by_route_;
    std::uint64_t next_peer_ = 1;
    std::size_t assembling_ = 0;  ///< bytes that all assemblers hold
    control::SilenceDetector silence_;
    struct Departed {
        std::int64_t pid = 0;
        int looks = 0;
    };
    std::map<control::PeerId, Departed> departed_;  ///< whose processes have perhaps ended
    Timer timer_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace divisi::link
