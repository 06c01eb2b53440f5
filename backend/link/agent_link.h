// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "backend/link/control_client.h"

namespace divisi::link {

/// What lies between an agent's state machine (control::NodeAgent, control::InstanceLife) and its orchestrator: the
/// connection as the machine sees it, which is up or down, and answers that come as messages.
class AgentLink {
public:
    struct Events {
        std::function<void()> up, down;  ///< in turns, `up` first
        /// Also an answer, under its request's correlation; Refused stands for what went wrong on the way.
        std::function<void(std::uint64_t correlation, const control::Message&)> message;
        /// An attempt or the connection ended for the reason given, and the next attempt is due: time to retarget().
        std::function<void(const std::string& why)> waiting;
    };

    /// `answer` is how long an answer is waited for.
    AgentLink(Loop& loop, Transport& transport, const Connection& target, control::Hello hello, Duration answer)
        : client_(loop, transport, target, std::move(hello)), answer_(answer) {}

    void start(Events events);
    /// With a correlation: a request. Dropped, or refused, while the link is down.
    void send(std::uint64_t correlation, const control::Message& message);
    void request(const control::Message& message, ControlClient::OnReply on_reply) {
        client_.request(message, answer_, std::move(on_reply));
    }
    void retarget(const Connection& target) { client_.retarget(target); }
    bool up() const { return up_; }

private:
    void on_state(const ControlClient::State& state);

    ControlClient client_;
    Duration answer_;
    Events events_;
    bool up_ = false;
};

}  // namespace divisi::link
