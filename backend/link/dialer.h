// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/link/loop.h"
#include "backend/link/transport.h"

namespace divisi::link {

enum class LinkState { idle, connecting, up, waiting };

struct LinkStatus {
    LinkState state = LinkState::idle;
    std::int64_t next_attempt_in_ms = 0;  ///< while waiting
    std::int32_t attempts = 0;            ///< since the link was last up
    std::optional<Error> last_error;
};

inline constexpr Duration first_backoff = std::chrono::milliseconds(50);
/// A console that waits longer feels dead; a cluster that is asked more often gains nothing.
inline constexpr Duration longest_backoff = std::chrono::seconds(5);
/// A link that was up for so long was a good one: the next pause is short again.
inline constexpr Duration settled_after = std::chrono::seconds(5);
/// A handshake on a busy two-core machine takes up to a second.
inline constexpr Duration connect_deadline = std::chrono::seconds(5);

/// Keeps one connection alive: tries again after a growing pause, and says when the next attempt is due.
class Dialer {
public:
    struct Events {
        std::function<void()> attempt;  ///< one begins
        std::function<void()> up;
        std::function<void(const Error&)> down;  ///< of an attempt that failed as well as of a link that was up
        std::function<void(Parts)> message;
        std::function<void()> writable;
    };

    Dialer(Loop& loop, Transport& transport, Purpose purpose, Events events, std::string identity = {});
    /// Not from inside one of its own events.
    ~Dialer();
    Dialer(const Dialer&) = delete;
    Dialer& operator=(const Dialer&) = delete;

    void dial(Address address);
    /// Ends the connection and stops trying.
    void close();
    /// The connection is of no use (silence, a protocol error): end it and try again after a pause.
    void fail(const Error& error);
    /// Ends a pause.
    void retry_now();
    /// Where the next attempt goes.
    void redirect(Address address) { address_ = std::move(address); }
    /// `gone` while the link is not up.
    Sent send(const Parts& parts);
    bool up() const { return state_ == LinkState::up; }
    LinkStatus status() const;
    const std::string& endpoint() const { return address_.endpoint; }
    /// While waiting.
    TimePoint next_attempt() const { return next_attempt_; }

private:
    void attempt();
    void retire();

    Loop& loop_;
    Transport& transport_;
    Purpose purpose_;
    Events events_;
    std::string identity_;
    Address address_;
    std::unique_ptr<Channel> connection_;
    LinkState state_ = LinkState::idle;
    Duration backoff_ = first_backoff;
    TimePoint next_attempt_{};
    TimePoint up_since_{};
    std::int32_t attempts_ = 0;
    std::uint64_t last_attempt_ = 0;  ///< tells attempts apart
    std::optional<Error> last_error_;
    Timer timer_;
    /// Connections that ended inside one of their own callbacks; they go once that has returned.
    std::vector<std::unique_ptr<Channel>> retired_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace divisi::link
