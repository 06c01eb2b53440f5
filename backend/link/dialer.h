// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/link/loop.h"
#include "backend/link/transport.h"

namespace divisi::link {

enum class LinkState { idle, connecting, up, waiting };

struct LinkStatus {
    LinkState state = LinkState::idle;
    std::int64_t next_attempt_in_ms = 0;  ///< time until the next attempt; set only while waiting
    std::int32_t attempts = 0;            ///< number of attempts since the link was last up
    std::optional<Error> last_error;
};

inline constexpr Duration first_backoff = std::chrono::milliseconds(50);
/// Longest pause between attempts. With a longer pause, a console would seem to hang; with a shorter pause, the cluster
/// would not recover faster.
inline constexpr Duration longest_backoff = std::chrono::seconds(5);
/// A link that was up for this long counts as stable: after its next loss, the first pause is short again.
inline constexpr Duration settled_after = std::chrono::seconds(5);
/// Timeout for an attempt; a handshake on a busy two-core machine takes up to a second.
inline constexpr Duration connect_deadline = std::chrono::seconds(5);

/// Keeps one connection alive: retries after a growing pause, and reports when the next attempt is due.
class Dialer {
public:
    struct Events {
        std::function<void()> attempt;  ///< called when an attempt begins
        std::function<void()> up;
        std::function<void(const Error&)> down;  ///< called when an attempt has failed, or a link that was up has ended
        std::function<void(Parts)> message;
        std::function<void()> writable;
    };

    Dialer(Loop& loop, Transport& transport, Purpose purpose, Events events, std::string identity = {});
    /// The dialer must not be destroyed inside one of its own events.
    ~Dialer();
    Dialer(const Dialer&) = delete;
    Dialer& operator=(const Dialer&) = delete;

    void dial(Address address);
    /// Ends the connection and stops retrying.
    void close();
    /// Ends a connection that is unusable (silence, a protocol error) and retries after a pause.
    void fail(const Error& error);
    /// Ends the pause before the next attempt, and retries immediately.
    void retry_now();
    /// Sets the address of the next attempt.
    void redirect(Address address) { address_ = std::move(address); }
    /// Sends a message; returns `gone` while the link is not up.
    Sent send(const Parts& parts);
    bool up() const { return state_ == LinkState::up; }
    LinkStatus status() const;
    const std::string& endpoint() const { return address_.endpoint; }
    /// Returns the time of the next attempt; valid only while waiting.
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
    std::uint64_t last_attempt_ = 0;  ///< number that distinguishes attempts
    std::optional<Error> last_error_;
    Timer timer_;
    /// Connections that ended inside one of their own callbacks; they are destroyed after that callback has returned.
    std::vector<std::unique_ptr<Channel>> retired_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace divisi::link
