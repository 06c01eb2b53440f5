// SPDX-License-Identifier: Apache-2.0
#include "backend/link/control_server.h"

#include <signal.h>

#include <cerrno>
#include <fstream>

#include "backend/control/protocol/connection_messages.h"
#include "backend/link/control_frames.h"
#include "backend/link/error_texts.h"

namespace divisi::link {

using control::Refused;

namespace {

/// Number of checks on a process whose connection ended. A process that is alive after 30 s is reconnecting or hangs.
constexpr int most_looks = std::chrono::seconds(30) / control::heartbeat_interval;

}  // namespace

/// Parses "pid (name) state ...". The process name may contain any character, so the state follows the last
/// parenthesis.
bool process_has_ended(std::int64_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line)) return ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
    const auto name = line.rfind(')');
    const char state = name != std::string::npos && name + 2 < line.size() ? line[name + 2] : '?';
    return state == 'Z' || state == 'X';
}

ControlServer::ControlServer(Loop& loop, Receive receive, Ended ended)
    : loop_(loop), receive_(std::move(receive)), ended_(std::move(ended)), timer_(loop) {
    timer_.start(control::heartbeat_interval, [this] { look_for_silent(); });
}

Result<std::string> ControlServer::listen(Transport& transport, const std::string& endpoint) {
    const std::size_t index = listeners_.size();
    Listener::Events events;
    events.message = [this, index](const std::string& route, const Credentials& credentials, const Parts& parts) {
        on_frame({index, route}, credentials, parts);
    };
    events.gone = [this, index](const std::string& route) {
        if (const auto found = by_route_.find({index, route}); found != by_route_.end())
            forget(found->second, "its connection ended", true);
    };
    // A user who names an endpoint beyond loopback, on the command line or in the cluster file, intends remote access.
    DIVISI_ASSIGN(auto listener, transport.listen({endpoint, Purpose::control, true}, std::move(events)));
    listeners_.push_back(std::move(listener));
    return listeners_.back()->endpoint();
}

void ControlServer::send(const control::Send& send) {
    const auto found = remotes_.find(send.peer);
    if (found == remotes_.end()) return;
    if (transmit(found->second.route, send.correlation, send.message) == Sent::yes) return;
    // The queue is full or the peer has disconnected. The message is lost, so the connection must end too.
    loop_.post([this, alive = std::weak_ptr<bool>(alive_), peer = send.peer] {
        if (!alive.expired()) forget(peer, "it accepts no more messages");
    });
}

void ControlServer::send_all(const control::Message& message) {
    for (const auto& [peer, remote] : remotes_) (void)transmit(remote.route, 0, message);
}

void ControlServer::close(control::PeerId peer) {
    const auto found = remotes_.find(peer);
    if (found == remotes_.end()) return;
    assembling_ -= found->second.assembler.held();
    by_route_.erase(found->second.route);
    remotes_.erase(found);
    silence_.forget(peer);
}

void ControlServer::forget(control::PeerId peer, const std::string& why, bool closed) {
    const auto found = remotes_.find(peer);
    if (found == remotes_.end()) return;
    if (found->second.pid > 0) departed_[peer] = {found->second.pid, 0};
    close(peer);
    receive_(control::PeerGone{peer, why, closed});
}

void ControlServer::drop(control::PeerId peer, const Error& why) {
    (void)transmit(remotes_.at(peer).route, 0, Refused{why});
    forget(peer, why.what);
}

Sent ControlServer::transmit(const Route& route, std::uint64_t correlation, const control::Message& message) {
    auto payload = wire::encode(message);
    if (!payload) {
        if (holds_alternative<Refused>(message)) return Sent::gone;
        return transmit(route, correlation, Refused{payload.error()});
    }
    return send_frames(correlation, wire::type_of(message), *std::move(payload),
                       [&](const Parts& parts) { return listeners_[route.first]->send(route.second, parts); });
}

void ControlServer::on_frame(const Route& route, const Credentials& credentials, const Parts& parts) {
    if (parts.size() != 2) return;
    const auto header = frame::decode_control_header(parts[0].bytes);
    if (!header) return;
    if (!by_route_.contains(route) && !welcome(route, credentials, *header)) return;
    const control::PeerId peer = by_route_.at(route);
    Remote& remote = remotes_.at(peer);
    silence_.hear(peer, loop_.now());
    const auto whole = assemble(remote, *header, parts[1].bytes);
    if (whole && *whole) return on_message(peer, *header, **whole);
    if (whole) return;
    // A newer program may send types that this version does not know. After any other error, frame boundaries in the
    // stream are unreliable.
    if (whole.error().code == ErrorCode::unsupported) return send({peer, header->correlation, Refused{whole.error()}});
    drop(peer, whole.error());
}

/// Accepts a connection whose first message is a Hello, and creates a peer for it.
bool ControlServer::welcome(const Route& route, const Credentials& credentials, const frame::ControlHeader& header) {
    const auto refuse = [&](const ErrorText& text, std::vector<std::string> args) {
        (void)transmit(route, 0, Refused{make_error(text, listeners_[route.first]->endpoint(), std::move(args))});
        return false;
    };
    if (header.type != wire::type_of(control::Hello{})) return refuse(error_text("connection-not-known"), {});
    if (remotes_.size() >= most_peers) return refuse(error_text("connections-all-taken"), {std::to_string(most_peers)});
    const control::PeerId peer(next_peer_++);
    by_route_[route] = peer;
    remotes_[peer] = {route, frame::ControlAssembler(wire::size_limit), credentials.pid};
    receive_(control::PeerConnected{peer, credentials});
    return true;
}

Result<std::optional<std::string>> ControlServer::assemble(Remote& remote, const frame::ControlHeader& header,
                                                           std::span<const std::byte> bytes) {
    assembling_ -= remote.assembler.held();
    auto whole = remote.assembler.add(header, bytes);
    assembling_ += remote.assembler.held();
    if (assembling_ > most_assembling) return make_error(error_text("many-large-messages"), "orchestrator");
    return whole;
}

void ControlServer::on_message(control::PeerId peer, const frame::ControlHeader& header, const std::string& payload) {
    auto message = wire::decode(header.type, std::as_bytes(std::span(payload)));
    if (!message) return send({peer, header.correlation, Refused{message.error()}});
    if (holds_alternative<control::Heartbeat>(*message)) send({peer, 0, control::Heartbeat{}});
    receive_(control::Received{peer, header.correlation, *std::move(message)});
}

/// Forgets silent peers. If such a peer sends again later, its connection is refused, and the peer reconnects.
void ControlServer::look_for_silent() {
    timer_.start(control::heartbeat_interval, [this] { look_for_silent(); });
    for (const control::PeerId peer : silence_.silent(loop_.now())) forget(peer, "it fell silent");
    look_for_ended();
}

/// Reports processes that have ended. Each process is checked repeatedly, because a process closes its connections
/// shortly before it ends.
void ControlServer::look_for_ended() {
    std::vector<control::PeerId> ended;
    for (auto& [peer, departed] : departed_) {
        ++departed.looks;
        if (ended_(departed.pid)) ended.push_back(peer);
    }
    for (const control::PeerId peer : ended) departed_.erase(peer);
    std::erase_if(departed_, [](const auto& entry) { return entry.second.looks >= most_looks; });
    for (const control::PeerId peer : ended) receive_(control::PeerEnded{peer});
}

}  // namespace divisi::link
