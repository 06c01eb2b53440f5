// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "backend/control/protocol/subscription.h"
#include "backend/link/control_client.h"

namespace divisi::link {

/// Before another snapshot is asked for, so that what always fails does not keep the orchestrator busy.
inline constexpr Duration pause_between_snapshots = std::chrono::seconds(1);

/// A client's subscription over its connection: the whole snapshot, then events without a gap; where one is missing or
/// unreadable, a new snapshot after a pause.
class Subscriber {
public:
    struct Heard {
        std::function<void(control::Snapshot)> snapshot;
        std::function<void(std::vector<control::Event>)> events;
        std::function<void(const Error&)> problem;  ///< it begins again by itself
    };

    /// `client` must outlive it.
    Subscriber(Loop& loop, ControlClient& client, Heard heard);

    /// On a new connection, or to have a snapshot again.
    void begin();
    /// The connection was lost: nothing more is tried until begin().
    void pause();
    void pushed(const control::EventPush& push) { carry_out(subscription_.pushed(push.events)); }
    void broken(const Error& why) { carry_out(subscription_.broken(why)); }

private:
    void carry_out(control::Subscription::Step step);

    ControlClient& client_;
    Heard heard_;
    control::Subscription subscription_;
    std::uint64_t attempt_ = 0;  ///< answers to an earlier one do not count
    Timer again_;
};

}  // namespace divisi::link
