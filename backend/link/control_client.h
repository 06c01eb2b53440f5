// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "backend/control/message.h"
#include "backend/link/connection_file.h"
#include "backend/link/event_loop.h"
#include "backend/link/sockets.h"

namespace divisi::link {

/// The other side of the control plane: clients, node agents and instances. Connects, says Hello, keeps the
/// connection alive by heartbeats, and after a loss tries again with growing pauses, forever.
class ControlClient {
public:
    struct State {
        enum class Kind { connecting, connected, waiting } kind = Kind::connecting;
        std::string detail;                     ///< why the last attempt or connection ended
        std::optional<TimePoint> next_attempt;  ///< while waiting
        control::Welcome welcome;               ///< once connected
    };
    using OnState = std::function<void(const State&)>;
    using OnMessage = std::function<void(std::uint64_t correlation, const control::Message&)>;
    using OnReply = std::function<void(Result<control::Message>)>;

    ControlClient(EventLoop& loop, Context& context, Connection target, SocketSecurity security, control::Hello hello);
    ~ControlClient();

    /// Sets the callbacks and starts the first attempt. They run on the loop's thread.
    void start(OnState on_state, OnMessage on_message);
    const State& state() const { return state_; }

    /// Sends without waiting for an answer; dropped while there is no connection (callers resynchronize).
    void send(const control::Message& message, std::uint64_t correlation = 0);
    /// Sends and calls `on_reply` once: with the answer, with what Refused carries, or with `deadline` or
    /// `unavailable`.
    void request(const control::Message& message, Duration deadline, OnReply on_reply);
    /// Ends the pause and tries at once.
    void retry_now();
    /// What the next attempt connects to (an orchestrator that was restarted elsewhere).
    void retarget(Connection target) { target_ = std::move(target); }

private:
    struct Pending {
        OnReply on_reply;
        EventLoop::TimerId timer = 0;
    };

    void attempt();
    void lose(const std::string& why);
    void drain();
    void received(std::uint64_t correlation, const control::Message& message);
    void complete(std::uint64_t correlation, Result<control::Message> result);
    void beat();
    void set_state(State state);

    EventLoop& loop_;
    Context& context_;
    Connection target_;
    SocketSecurity security_;
    control::Hello hello_;
    OnState on_state_;
    OnMessage on_message_;
    std::optional<Socket> socket_;
    State state_;
    std::map<std::uint64_t, Pending> pending_;
    std::uint64_t next_correlation_ = 1;
    TimePoint heard_{};
    int failures_ = 0;
    EventLoop::TimerId attempt_timer_ = 0, beat_timer_ = 0;
};

}  // namespace divisi::link
