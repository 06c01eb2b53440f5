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

/// Limit on simultaneous connections; an orchestrator serves some hundred agents and a few clients.
inline constexpr std::size_t most_peers = 4096;
/// Limit on the bytes of incomplete messages of all peers: enough to submit several models at once.
inline constexpr std::size_t most_assembling = 128u << 20;

/// Returns whether the process has ended. Valid only for a process on this machine, whose pid the kernel reports
/// (Credentials::pid).
bool process_has_ended(std::int64_t pid);

/// The orchestrator's side of the control plane: listeners, and a peer for each connection that said Hello. Converts
/// frames to control::Input and back. Reports PeerGone if a connection ends, or if the peer falls silent, has a full
/// queue or breaks the protocol. The peer will reconnect and ask for a snapshot. PeerEnded follows if the peer was a
/// process on this machine and has ended.
class ControlServer {
public:
    using Receive = std::function<void(const control::Input&)>;

    using Ended = std::function<bool(std::int64_t pid)>;

    ControlServer(Loop& loop, Receive receive, Ended ended = process_has_ended);

    /// Listens on an endpoint and returns the endpoint that peers connect to. May be called several times (ipc, tcp).
    Result<std::string> listen(Transport& transport, const std::string& endpoint);
    void send(const control::Send& send);
    /// Sends the message to every peer of any kind.
    void send_all(const control::Message& message);
    /// Forgets the peer; further messages on its connection are refused. No PeerGone follows.
    void close(control::PeerId peer);

private:
    using Route = std::pair<std::size_t, std::string>;  ///< listener index, and the connection's name at that listener
    struct Remote {
        Route route;
        frame::ControlAssembler assembler{wire::size_limit};
        std::int64_t pid = 0;  ///< process id, on ipc only
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
    std::size_t assembling_ = 0;  ///< bytes held by all assemblers
    control::SilenceDetector silence_;
    struct Departed {
        std::int64_t pid = 0;
        int looks = 0;
    };
    std::map<control::PeerId, Departed> departed_;  ///< peers whose processes may have ended
    Timer timer_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace divisi::link
