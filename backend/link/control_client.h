// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/silence.h"
#include "backend/frame/control_frame.h"
#include "backend/link/connection_file.h"
#include "backend/link/dialer.h"
#include "backend/wire/message_codec.h"

namespace divisi::link {

/// The client side of the control plane, used by clients, node agents and instances. Connects, sends Hello, and keeps
/// the connection alive by heartbeats. After a loss, the client retries forever with growing pauses. It detects the end
/// of the orchestrator's process immediately. Every new connection begins with a Hello that names this client, so that
/// the other side recognises it.
class ControlClient {
public:
    struct State {
        enum class Kind { connecting, connected, waiting } kind = Kind::connecting;
        std::string detail;                     ///< reason why the last attempt or connection ended
        std::optional<ErrorCode> code;          ///< code of that reason; `denied`: retrying will not help
        std::optional<TimePoint> next_attempt;  ///< time of the next attempt, while waiting
        control::Welcome welcome;               ///< the orchestrator's Welcome, once connected
    };
    using OnState = std::function<void(const State&)>;
    using OnMessage = std::function<void(std::uint64_t correlation, const control::Message&)>;
    using OnBroken = std::function<void(const Error&)>;
    using OnReply = std::function<void(Result<control::Message>)>;

    /// `loop` and `transport` must outlive the client. The client must not be destroyed inside its own callbacks.
    ControlClient(Loop& loop, Transport& transport, const Connection& target, control::Hello hello);
    ~ControlClient();

    /// Sets the callbacks, which run on the loop's thread, and starts the first attempt. `on_broken` is called for an
    /// unreadable message that answers no request. Without `on_broken` such a message ends the connection, and the
    /// client reconnects.
    void start(OnState on_state, OnMessage on_message, OnBroken on_broken = {});
    const State& state() const { return state_; }
    /// Returns how long ago the last frame arrived; heartbeats count. After control::peer_timeout the connection is
    /// lost.
    Duration silent_for() const { return loop_.now() - heard_; }

    /// Sends without waiting for an answer. The message is dropped while there is no connection; callers must
    /// synchronize again after the next connect.
    void send(const control::Message& message, std::uint64_t correlation = 0);
    /// Sends and calls `on_reply` once: with the answer, or with the error in Refused. Other errors are `deadline`,
    /// `unavailable`, `exhausted` for a message above the size limit, and the error of an unreadable answer.
    void request(const control::Message& message, Duration deadline, OnReply on_reply);
    /// Ends the pause before the next attempt, and retries immediately.
    void retry_now();
    /// Sets the target of the next attempt, for example of an orchestrator that was restarted elsewhere.
    void retarget(const Connection& target) { dialer_.redirect({target.endpoint, target.server_key}); }

private:
    struct Pending {
        OnReply on_reply;
        Loop::TimerId timer = 0;
    };

    void greet();
    void hear();
    void lost(const Error& why);
    void on_frame(const Parts& parts);
    void received(std::uint64_t correlation, const control::Message& message);
    void complete(std::uint64_t correlation, Result<control::Message> result);
    void unreadable(std::uint64_t correlation, Error why);
    bool transmit(std::uint64_t correlation, const control::Message& message);
    void beat();
    void set_state(State::Kind kind, std::optional<TimePoint> next_attempt = {}, control::Welcome welcome = {});

    Loop& loop_;
    control::Hello hello_;
    OnState on_state_;
    OnMessage on_message_;
    OnBroken on_broken_;
    State state_;
    std::map<std::uint64_t, Pending> pending_;
    std::uint64_t next_correlation_ = 1;
    frame::ControlAssembler assembler_{wire::size_limit};
    control::SilenceDetector silence_;  ///< watches the only peer, the orchestrator
    TimePoint heard_{};
    Timer beat_timer_, full_timer_;
    Dialer dialer_;
    Address target_;
};

}  // namespace divisi::link
