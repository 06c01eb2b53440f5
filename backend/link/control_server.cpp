// SPDX-License-Identifier: Apache-2.0
#include "backend/link/control_server.h"

#include <zmq.h>

#include <span>

#include "backend/link/frames.h"
#include "backend/wire/message_codec.h"

namespace divisi::link {
namespace {
/// Connections at once; an orchestrator serves some hundred agents and a few clients.
constexpr std::size_t most_peers = 4096;
}  // namespace

ControlServer::ControlServer(EventLoop& loop, Context& context, Receive receive)
    : loop_(loop), context_(context), receive_(std::move(receive)) {
    timer_ = loop_.every(control::heartbeat_interval, [this] { forget_silent(); });
}

ControlServer::~ControlServer() {
    loop_.cancel(timer_);
    for (const Socket& socket : sockets_) loop_.unwatch_socket(socket.get());
}

Result<std::string> ControlServer::listen(const std::string& endpoint, const SocketSecurity& security) {
    Socket socket(context_, ZMQ_ROUTER, Socket::Plane::control);
    DIVISI_ASSIGN(std::string bound, socket.bind(endpoint, security));
    const std::size_t index = sockets_.size();
    loop_.watch_socket(socket.get(), [this, index] { drain(index); });
    sockets_.push_back(std::move(socket));
    return bound;
}

void ControlServer::send(const control::Send& send) {
    const auto found = remotes_.find(send.peer);
    if (found == remotes_.end()) return;
    const std::string number = encode_number(send.correlation);
    const std::string type = encode_number(wire::type_of(send.message));
    const auto payload = wire::encode(send.message);
    if (!payload && !std::holds_alternative<control::Refused>(send.message))
        return this->send({send.peer, send.correlation, control::Refused{payload.error()}});
    const auto to = sockets_[found->second.socket].get();
    // A full queue or a missing peer: the message is lost, so the connection is.
    if (!payload || send_message(to, {found->second.identity, number, type, *payload}) != 0)
        loop_.post([this, peer = send.peer] { forget(peer); });
}

void ControlServer::drain(std::size_t socket) {
    while (auto message = receive_message(sockets_[socket].get())) {
        if (message->frames.size() != 4) continue;
        const auto correlation = decode_number(message->frames[1]);
        const auto type = decode_number(message->frames[2]);
        if (!correlation || !type) continue;
        const Incoming incoming{*correlation, static_cast<wire::MessageType>(*type), message->frames[3]};
        received(socket, message->frames[0], incoming, message->user);
    }
}

void ControlServer::received(std::size_t socket, const std::string& identity, const Incoming& incoming,
                             const std::string& user) {
    if (!by_identity_.contains({socket, identity}) && remotes_.size() >= most_peers) return;
    const control::PeerId peer = peer_for(socket, identity, user);
    remotes_.at(peer).heard = loop_.clock().now();
    auto message = wire::decode(incoming.type, std::as_bytes(std::span(incoming.payload)));
    if (!message) {
        send({peer, incoming.correlation, control::Refused{message.error()}});
        return;
    }
    Remote& remote = remotes_.at(peer);
    remote.greeted = remote.greeted || std::holds_alternative<control::Hello>(*message);
    if (!remote.greeted) {
        // ZeroMQ connects again by itself, also to an orchestrator that was restarted and knows nobody.
        send({peer, 0,
              control::Refused{
                  {ErrorCode::denied, "this orchestrator does not know the connection", "", "connect again"}}});
        return;
    }
    if (std::holds_alternative<control::Heartbeat>(*message)) send({peer, 0, control::Heartbeat{}});
    receive_(control::Received{peer, incoming.correlation, std::move(*message)});
}

control::PeerId ControlServer::peer_for(std::size_t socket, const std::string& identity, const std::string& user) {
    const auto key = std::pair(socket, identity);
    if (const auto found = by_identity_.find(key); found != by_identity_.end()) return found->second;
    const control::PeerId peer(next_peer_++);
    by_identity_[key] = peer;
    remotes_[peer] = {socket, identity, loop_.clock().now()};
    control::Credentials credentials;
    if (user.starts_with(uid_prefix)) {
        credentials.owner = true;  // the ZAP handler let only this user and root in
        credentials.name = user;
    } else if (const auto known = context_.policy().find(user)) {
        credentials.role = known->role;
        credentials.name = known->name;
    }
    receive_(control::PeerConnected{peer, credentials});
    return peer;
}

void ControlServer::forget(control::PeerId peer) {
    const auto found = remotes_.find(peer);
    if (found == remotes_.end()) return;
    by_identity_.erase({found->second.socket, found->second.identity});
    remotes_.erase(found);
    receive_(control::PeerGone{peer});
}

void ControlServer::forget_silent() {
    // A loop that was held up has their messages in its queues.
    for (std::size_t i = 0; i < sockets_.size(); ++i) drain(i);
    const TimePoint limit = loop_.clock().now() - control::peer_timeout;
    std::vector<control::PeerId> silent;
    for (const auto& [id, remote] : remotes_)
        if (remote.heard < limit) silent.push_back(id);
    for (const control::PeerId peer : silent) forget(peer);
}

}  // namespace divisi::link
