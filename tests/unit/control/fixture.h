// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>

#include <utility>

#include "backend/control/core/orchestrator_context.h"

namespace divisi::control::test {

inline const TaskId the_task("t-1");
inline const InstanceId first("t-1/stage-0/0#1"), second("t-1/stage-1/0#1");
inline const InstanceId first_again("t-1/stage-0/0#2"), second_again("t-1/stage-1/0#2");
inline const InstanceId data_0("t-1/data/0#1"), data_1("t-1/data/1#1"), data_2("t-1/data/2#1");

/// Fixture: a context with time, sessions and nodes, shared by the tests of the state machines that use a context.
struct Fixture {
    OrchestratorContext context{OrchestratorLimits{}};
    TimePoint now{std::chrono::seconds(1000)};

    Fixture() { context.set_time(now); }
    /// Connects a client, optionally with a process name. `owner`: the client is the same user on the same machine.
    PeerId connect(std::uint64_t peer, const std::string& process = "", bool owner = true) {
        context.sessions().open(PeerId(peer), {owner, Role::operate, "me", owner ? "" : "key"});
        context.sessions().at(PeerId(peer)).process = process;
        return PeerId(peer);
    }
    /// Registers a node on a separate connection.
    PeerId node(std::uint64_t peer, const std::string& name, const std::string& host, const std::string& endpoint) {
        NodeInfo info;
        info.id = NodeId(name);
        info.host = host;
        info.blob_endpoint = endpoint;
        context.sessions().open(PeerId(peer), {true, Role::agent, "", ""});
        context.sessions().at(PeerId(peer)).role = Role::agent;
        const auto bound = context.sessions().bind_node(PeerId(peer), info);
        if (!bound) qFatal("%s", bound.error().message().c_str());
        context.append(NodeJoined{info});
        return PeerId(peer);
    }
    /// Lets time pass as in a live process.
    void pass(Duration time) {
        for (const TimePoint end = now + time; now < end;) {
            now = std::min(end, now + heartbeat_interval);
            context.set_time(now);
        }
    }
    /// Returns the pending messages of a kind, with their recipients.
    template <typename Kind>
    std::vector<std::pair<PeerId, Kind>> sent() {
        std::vector<std::pair<PeerId, Kind>> found;
        for (const Send& one : context.output().sends)
            if (const auto* message = get_if<Kind>(&one.message)) found.emplace_back(one.peer, *message);
        return found;
    }
    /// Returns the events of a kind since the context was cleared.
    template <typename Kind>
    std::vector<Kind> logged() {
        std::vector<Kind> found;
        for (const Event& event : context.output().events)
            if (const auto* body = get_if<Kind>(&event.body)) found.push_back(*body);
        return found;
    }
    void clear() { context.output() = {}; }

    template <typename Machine, typename Kind>
    void say(Machine& machine, PeerId peer, const Kind& message) {
        machine.handle(Received{peer, 1, message}, message);
    }
    /// Returns the reason of the last refusal; empty if there was none.
    std::string refusal() {
        const auto refused = sent<Refused>();
        return refused.empty() ? "" : refused.back().second.error.what;
    }
};

}  // namespace divisi::control::test
