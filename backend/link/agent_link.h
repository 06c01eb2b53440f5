// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "backend/link/control_client.h"

namespace divisi::link {

/// Connects an agent's state machine (control::NodeAgent, control::InstanceLife) to its orchestrator. The state machine
/// sees a connection that is up or down, and receives answers as messages.
class AgentLink {
public:
    struct Events {
        std::function<void()> up, down;  ///< called alternately, `up` first
        /// Called for every message, including answers, which have their request's correlation. A Refused reports any
        /// error in transit.
        std::function<void(std::uint64_t correlation, const control::Message&)> message;
        /// Called before the next attempt, after an attempt or the connection has ended for the given reason. The
        /// callback may change the target with retarget().
        std::function<void(const std::string& why)> waiting;
    };

    /// `answer` is the timeout for an answer.
    AgentLink(Loop& loop, Transport& transport, const Connection& target, control::Hello hello, Duration answer)
        : client_(loop, transport, target, std::move(hello)), answer_(answer) {}

    void start(Events events);
    /// Sends a message; with a correlation, it is a request. Dropped, or refused, while the link is down.
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
