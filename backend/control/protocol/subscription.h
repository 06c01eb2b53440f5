// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/control/protocol/state_messages.h"

namespace divisi::control::inline protocol {

/// A client's side of Subscribe, without I/O. Joins the pages of the snapshot and keeps the events that arrive until
/// the snapshot is complete. Passes events on only if no earlier event is missing. After a gap or an unreadable push,
/// requests a new start, since the displayed state is out of date.
class Subscription {
public:
    struct Step {
        std::optional<Message> request;    ///< request to send; its answer goes to answered()
        std::optional<Snapshot> snapshot;  ///< complete snapshot, which replaces the state shown before
        std::vector<Event> events;         ///< events that follow the state shown
        std::optional<Error> problem;      ///< reason to call begin() again, after a pause
    };

    /// Begins a subscription, on a new connection and after a problem.
    Step begin();
    Step answered(Result<Message> reply);
    Step pushed(std::vector<Event> events);
    /// Reports that a push was lost or unreadable.
    Step broken(Error why);

private:
    enum class Phase { idle, fetching, live };

    Step fail(Error why);
    /// Moves the events that follow the state to `step`. Sets `problem` at the first gap.
    void follow(std::vector<Event> events, Step& step);

    Phase phase_ = Phase::idle;
    Snapshot whole_;
    std::vector<Event> held_;
    std::uint64_t sequence_ = 0;
};

/// Maximum number of events kept while a snapshot is fetched. A task does some hundred steps in a second, and pages
/// take milliseconds.
inline constexpr std::size_t most_held_events = 20'000;

}  // namespace divisi::control::inline protocol
