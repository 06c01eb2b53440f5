// SPDX-License-Identifier: Apache-2.0
// Handles connections that open, break and return, the nodes behind these connections, and the allowed keys.
#include <algorithm>

#include "backend/control/core/sessions.h"
#include "backend/control/dispatch/orchestrator.h"
#include "backend/control/dispatch/state_machines.h"
#include "backend/control/protocol/access_messages.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/input_limits.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/types/error_texts.h"

namespace divisi::control::inline dispatch {
namespace {

/// Returns whether the `own` role of a key includes all rights of the requested role. An operator may also watch, for
/// example.
bool covers(Role own, Role asked) {
    for (const Right right : {Right::watch, Right::submit, Right::administer, Right::serve, Right::advise})
        if (allowed(asked, right) && !allowed(own, right)) return false;
    return true;
}

}  // namespace

void Orchestrator::on(const PeerConnected& input) { context_.sessions().open(input.peer, input.credentials); }

void Orchestrator::on(const PeerGone& input) { forget(input.peer, NodeState::away, input.why, input.closed); }

void Orchestrator::on(const PeerEnded& input) {
    std::vector<NodeId> ended;
    for (const auto& [node, away] : context_.sessions().nodes_away())
        if (away.peer == input.peer) ended.push_back(node);
    for (const NodeId& node : ended) {
        lose_node(node, NodeState::lost, "its process ended");
        machines_->leases.node_gone(node);
    }
    machines_->deliveries.client_gone(input.peer, false);
}

void Orchestrator::handle(const Received& received, const Hello& message) {
    // Third-party viewers (resources/docs/segmentation.md) state no protocol version.
    const bool only_looks = message.protocol == 0 && message.role == Role::viewer;
    if (auto speaks = check_protocol(message.protocol, message.version, message.program); !speaks && !only_looks)
        return context_.refuse(received, speaks.error());
    if (auto fits = check_key({message.key, {}, message.role, false}); !fits)
        return context_.refuse(received, fits.error());
    Session& peer = context_.sessions().at(received.peer);
    const auto& own = peer.credentials.role;
    const bool granted = peer.credentials.owner || (own && covers(*own, message.role));
    if (!granted) {
        context_.log_denial(peer, "denied: " + peer.credentials.name + " asked for role " + to_string(message.role));
        const std::string has = own ? to_string(*own) : "no role";
        return context_.refuse(received, make_error(error_text("key-without-role"), peer.credentials.name,
                                                    {to_string(message.role), has}));
    }
    peer.role = message.role;
    peer.program = message.program;
    peer.process = message.process;
    if (peer.credentials.owner && allowed(message.role, Right::submit)) peer.key = message.key;
    if (!peer.key.empty()) send_access_keys();
    supersede(received.peer);
    context_.answer(received, Welcome{state().name, state().version, message.role, state().sequence});
}

void Orchestrator::handle(const Received& received, const Goodbye& message) {
    // The socket may stay open for a short time; messages that still arrive on it are ignored.
    context_.output().closes.push_back(received.peer);
    forget(received.peer, NodeState::left, message.reason);
}

/// Closes a peer's session. `node_state`: the new state of the node on this connection; `closed`: as in PeerGone.
void Orchestrator::forget(PeerId peer, NodeState node_state, const std::string& why, bool closed) {
    const auto death = detector_.end(peer, closed);
    const auto gone = context_.sessions().close(peer);
    machines_->watchers.forget(peer);
    machines_->services.peer_gone(peer);
    machines_->lines.peer_gone(peer);
    machines_->spans.peer_gone(peer);
    machines_->survey.peer_gone(peer);  // before the session's device is forgotten
    machines_->devices.device_gone(peer, why, node_state != NodeState::away);
    machines_->modules.peer_gone(peer, why, node_state == NodeState::left);
    if (!gone) return;
    machines_->deliveries.client_gone(peer, node_state == NodeState::away);
    if (!gone->key.empty()) send_access_keys();
    if (!gone->node.value().empty()) {
        if (node_state == NodeState::away)
            node_away(gone->node, {peer, context_.lived() + context_.limits().away, why, death});
        else lose_node(gone->node, node_state, why);
    }
    if (!gone->instance.value().empty()) machines_->runs.lifecycle().instance_gone(gone->instance, peer, why, death);
}

void Orchestrator::close(PeerId peer, const Error& why) {
    context_.send(peer, Refused{why});
    context_.output().closes.push_back(peer);
    forget(peer, NodeState::lost, why.what);
}

/// Closes the peer's old connection. A new Hello means that the peer has given up the old connection, even if no break
/// was noticed here.
void Orchestrator::supersede(PeerId peer) {
    if (const auto old = context_.sessions().superseded_by(peer)) {
        context_.output().closes.push_back(*old);
        forget(*old, NodeState::away, "it reconnected");
    }
    machines_->deliveries.client_back(peer);
}

// --- nodes ------------------------------------------------------------------------------------

void Orchestrator::handle(const Received& received, const RegisterNode& message) {
    const NodeId& id = message.node.id;
    Sessions& sessions = context_.sessions();
    const auto away = Sessions::absence(sessions.nodes_away(), id);
    if (auto bound = sessions.bind_node(received.peer, message.node); !bound)
        return context_.deny(received, bound.error());
    if (away) context_.tell_return("node " + id.value(), {}, *away);
    NodeInfo node = message.node;
    const auto stated = stated_nodes_.find(id);
    apply_stated(node, stated == stated_nodes_.end() ? StatedNode{} : stated->second);
    node.host = host_label(state(), node);
    context_.append(NodeJoined{std::move(node), sessions.at(received.peer).credentials.key});
    context_.answer(received, Done{});
    send_access_keys(received.peer);
    machines_->leases.node_joined(id, message.instances);
    machines_->runs.lifecycle().node_joined(id, message.instances);
    machines_->runs.lifecycle().update_waits();
}

void Orchestrator::handle(const Received& received, const NodeReport& message) {
    const NodeId node = context_.sessions().at(received.peer).node;
    machines_->queue.reported(node, {message.load, message.memory_free});
    if (check_machine(message.machine)) {  // otherwise the last valid report stays and is not sent again
        MachineFigures& machine = context_.machines()[node] = message.machine;
        machine.measured = context_.clocks().moment(clock_of(state(), node), machine.measured, context_.now());
        machines_->watchers.reported(node);
    }
    machines_->leases.node_reported(message);
    machines_->runs.lifecycle().node_reported(node, message.instances);
}

void Orchestrator::node_away(const NodeId& node, const Sessions::Away& away) {
    context_.sessions().wait_for(node, away);
    context_.append(NodeEnded{node, NodeState::away, away.why});
    machines_->leases.node_away(node);
    machines_->survey.node_gone(node);
    machines_->transfers.node_gone(node);
    machines_->stores.node_gone(node);
    machines_->runs.lifecycle().update_waits();
}

void Orchestrator::lose_node(const NodeId& node, NodeState node_state, const std::string& reason) {
    context_.sessions().give_up(node);
    context_.append(NodeEnded{node, node_state, reason});
    machines_->survey.node_gone(node);
    machines_->transfers.node_gone(node);
    machines_->stores.node_gone(node);
    machines_->runs.lifecycle().node_lost(node, node_state);
    if (node_state == NodeState::left) machines_->leases.node_gone(node);
    else machines_->leases.node_away(node);
}

/// Declares nodes lost if they did not return in time, or are certainly dead.
void Orchestrator::check_away_nodes() {
    const std::string late =
        ", and it was not back within " + std::to_string(context_.limits().away / std::chrono::seconds(1)) + " s";
    for (const auto& [node, away] : std::map(context_.sessions().nodes_away())) {
        const auto loss = certain_loss(node, state(), context_.sessions());
        if (loss && context_.lived() >= loss->from) lose_node(node, NodeState::lost, loss->why);
        else if (context_.lived() >= away.until) lose_node(node, NodeState::lost, away.why + late);
    }
}

// --- keys -------------------------------------------------------------------------------------

void Orchestrator::handle(const Received& received, const ChangeKey& message) {
    if (auto fits = check_key(message.change); !fits) return context_.refuse(received, fits.error());
    if (message.change.revoked && !state().keys.contains(message.change.public_key))
        return context_.refuse(received, make_error(error_text("no-such-key"), message.change.public_key));
    context_.append(message.change);
    send_access_keys();
    context_.answer(received, Done{});
    // ZAP checks a key only at the handshake. Close the open connections that the change no longer allows.
    std::vector<PeerId> holders;
    for (const auto& [id, peer] : context_.sessions()) {
        const bool same_name = peer.node.value().empty() || peer.node.value() == message.change.name;
        const bool kept =
            !message.change.revoked && same_name && (!peer.role || covers(message.change.role, *peer.role));
        if (peer.credentials.key == message.change.public_key && !kept) holders.push_back(id);
    }
    const Error why =
        make_error(message.change.revoked ? error_text("key-revoked") : error_text("key-changed"), message.change.name);
    for (const PeerId holder : holders) close(holder, why);
}

void Orchestrator::send_access_keys(PeerId peer) {
    std::vector<KeyChanged> keys = fixed_keys_;
    for (const auto& [key, change] : state().keys) keys.push_back(change);
    for (const auto& [id, other] : context_.sessions())
        if (!other.key.empty()) keys.push_back({other.key, other.credentials.name, Role::operate, false});
    std::size_t sent = 0;
    std::uint32_t page = 0;
    do {
        const std::size_t end = std::min(keys.size(), sent + access_page_keys);
        const auto from = keys.begin() + static_cast<std::ptrdiff_t>(sent);
        const auto to = keys.begin() + static_cast<std::ptrdiff_t>(end);
        context_.send(peer, AccessKeys{{from, to}, page++, end < keys.size()});
        sent = end;
    } while (sent < keys.size());
}

void Orchestrator::send_access_keys() {
    for (const auto& [id, peer] : context_.sessions())
        if (!peer.node.value().empty()) send_access_keys(id);
}

}  // namespace divisi::control::inline dispatch
