// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>

#include <utility>

#include "backend/control/core/desk.h"

namespace divisi::control::test {

/// A desk with time, sessions and nodes, for the tests of one of the state machines that share it.
struct Floor {
    Desk desk{OrchestratorLimits{}};
    TimePoint now{std::chrono::seconds(1000)};

    Floor() { desk.set_time(now); }
    /// Whoever is connected, of a process where that is said; `owner`: of this machine and this user.
    PeerId connect(std::uint64_t peer, const std::string& process = "", bool owner = true) {
        desk.sessions().open(PeerId(peer), {owner, Role::operate, "me", owner ? "" : "key"});
        desk.sessions().at(PeerId(peer)).process = process;
        return PeerId(peer);
    }
    /// A node that registers on a connection of its own.
    PeerId node(std::uint64_t peer, const std::string& name, const std::string& host, const std::string& endpoint) {
        NodeInfo info;
        info.id = NodeId(name);
        info.host = host;
        info.blob_endpoint = endpoint;
        desk.sessions().open(PeerId(peer), {true, Role::agent, "", ""});
        desk.sessions().at(PeerId(peer)).role = Role::agent;
        const auto bound = desk.sessions().bind_node(PeerId(peer), info);
        if (!bound) qFatal("%s", bound.error().message().c_str());
        desk.append(NodeJoined{info});
        return PeerId(peer);
    }
    /// Time passes as it does for a process that lives.
    void pass(Duration time) {
        for (const TimePoint end = now + time; now < end;) {
            now = std::min(end, now + heartbeat_interval);
            desk.set_time(now);
        }
    }
    /// Messages of a kind that are on their way, with whom they go to.
    template <typename Kind>
    std::vector<std::pair<PeerId, Kind>> sent() {
        std::vector<std::pair<PeerId, Kind>> found;
        for (const Send& one : desk.output().sends)
            if (const auto* message = std::get_if<Kind>(&one.message)) found.emplace_back(one.peer, *message);
        return found;
    }
    /// Events of a kind since the desk was cleared.
    template <typename Kind>
    std::vector<Kind> logged() {
        std::vector<Kind> found;
        for (const Event& event : desk.output().events)
            if (const auto* body = std::get_if<Kind>(&event.body)) found.push_back(*body);
        return found;
    }
    void clear() { desk.output() = {}; }

    template <typename Machine, typename Kind>
    void say(Machine& machine, PeerId peer, const Kind& message) {
        machine.handle(Received{peer, 1, message}, message);
    }
    /// Why the last answer was a refusal; empty where it was none.
    std::string refusal() {
        const auto refused = sent<Refused>();
        return refused.empty() ? "" : refused.back().second.error.what;
    }
};

}  // namespace divisi::control::test
