// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "backend/link/control_client.h"
#include "backend/link/sockets.h"

namespace divisi::link {

/// Describes how an agent reaches its orchestrator.
struct Uplink {
    Connection orchestrator;
    std::filesystem::path connection_file = {};  ///< read again before each new attempt; empty: never
    SocketSecurity security = {};
};

/// Reads the connection file. The result's `security` has no keys yet.
Result<Uplink> read_uplink(const std::filesystem::path& connection_file);

/// Describes how an agent registers after each connect. An agent does not need this struct if its state machine sends
/// the registration itself.
struct AgentRegistration {
    std::function<control::Message()> request;
    std::function<void(const control::Message& answer)> accepted = {};
    std::function<void(const Error&)> refused = {};  ///< called for every refusal
    /// Called after `refused` if another attempt would fail too. Not called for a lost or late answer, because the next
    /// connection registers again. Not called for `transient`, because the next attempt may succeed.
    std::function<void(const Error&)> failed = {};
    ErrorCode transient = ErrorCode::conflict;  ///< code of a refusal that a later attempt can overcome
    Duration again_after{};                     ///< time from a transient refusal to the next attempt
};

/// Connects an agent to its orchestrator, connects again after each loss, and registers the agent on each connection.
///
/// The link reports to the agent when the connection goes up or down, and delivers answers as messages. Before each new
/// attempt the connection file is read again, because a restarted orchestrator may have another address. Attempts
/// continue for ever with the pauses of Dialer.
class AgentLink {
public:
    struct Events {
        std::function<void()> up, down;  ///< called alternately when the connection goes up or down, `up` first
        /// Called for every message, including answers, which have their request's correlation. A request that fails in
        /// transit is answered with a Refused.
        std::function<void(std::uint64_t correlation, const control::Message&)> message;
        /// Called when an attempt has failed or the connection has ended; `why` is the reason. Another attempt follows.
        std::function<void(const std::string& why)> waiting;
    };

    /// `answer` is the timeout for an answer.
    AgentLink(Loop& loop, Transport& transport, const Uplink& uplink, control::Hello hello, Duration answer)
        : client_(loop, transport, uplink.orchestrator, std::move(hello)),
          answer_(answer),
          target_(uplink.orchestrator),
          connection_file_(uplink.connection_file),
          registration_timer_(loop) {}

    void start(Events events, std::optional<AgentRegistration> registration = std::nullopt);
    /// Sends a message; with a correlation, it is a request. While the link is down, a message is dropped and a request
    /// is refused.
    void send(std::uint64_t correlation, const control::Message& message);
    void request(const control::Message& message, ControlClient::OnReply on_reply) {
        client_.request(message, answer_, std::move(on_reply));
    }
    bool up() const { return up_; }
    /// Returns the orchestrator of the connection, or of the next attempt.
    const Connection& target() const { return target_; }

private:
    void on_state(const ControlClient::State& state);
    void read_target();
    void register_agent();
    void on_refused(const Error& error);

    ControlClient client_;
    Duration answer_;
    Connection target_;
    std::filesystem::path connection_file_;
    Events events_;
    std::optional<AgentRegistration> registration_;
    Timer registration_timer_;
    bool up_ = false;
};

}  // namespace divisi::link
