// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backend/control/protocol/subscription.h"
#include "backend/link/control_client.h"

namespace divisi::link {

/// Pause before the next snapshot request, so that a permanent error does not keep the orchestrator busy.
inline constexpr Duration pause_between_snapshots = std::chrono::seconds(1);

/// A client's subscription over its connection: first the whole snapshot, then all events without gaps. If an event is
/// missing or unreadable, a new snapshot is requested after a pause.
class Subscriber {
public:
    struct Heard {
        std::function<void(control::Snapshot)> snapshot;
        std::function<void(std::vector<control::Event>)> events;
        std::function<void(const Error&)> problem;  ///< called for an error; the subscription restarts by itself
    };

    /// `client` must outlive the subscriber.
    Subscriber(Loop& loop, ControlClient& client, Heard heard);

    /// Starts the subscription with a snapshot. Called on a new connection, or to get a new snapshot.
    void begin();
    /// Stops until the next begin(), because the connection was lost.
    void pause();
    void pushed(const control::EventPush& push) { carry_out(subscription_.pushed(push.events)); }
    void broken(const Error& why) { carry_out(subscription_.broken(why)); }

private:
    void carry_out(control::Subscription::Step step);

    ControlClient& client_;
    Heard heard_;
    control::Subscription subscription_;
    std::uint64_t attempt_ = 0;  ///< number of the attempt; answers to an earlier one are ignored
    Timer again_;
};

}  // namespace divisi::link
