// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/control/protocol/message.h"

namespace divisi::control::inline protocol {

/// A client's side of Subscribe, without I/O: puts the snapshot's pages together, holds back the events that come
/// meanwhile, and lets events through only without a gap. After a gap, or after a push that could not be read, it wants
/// to begin again: what it has shown is not the cluster's state any more.
class Subscription {
public:
    struct Step {
        std::optional<Message> request;    ///< send it; its answer goes to answered()
        std::optional<Snapshot> snapshot;  ///< whole; replaces what was shown before
        std::vector<Event> events;         ///< that follow it
        std::optional<Error> problem;      ///< call begin() again, after a pause
    };

    /// On a new connection, and after a problem.
    Step begin();
    Step answered(Result<Message> reply);
    Step pushed(std::vector<Event> events);
    /// A push was lost or unreadable.
    Step broken(Error why);

private:
    enum class Phase { idle, fetching, live };

    Step fail(Error why);
    /// Moves those that follow the state out of `events`; `problem` at the first gap.
    void follow(std::vector<Event> events, Step& step);

    Phase phase_ = Phase::idle;
    Snapshot whole_;
    std::vector<Event> held_;
    std::uint64_t sequence_ = 0;
};

/// Events that are held back while a snapshot is fetched; a task does some hundred steps in a second, and pages take
/// milliseconds.
inline constexpr std::size_t most_held_events = 20'000;

}  // namespace divisi::control::inline protocol
