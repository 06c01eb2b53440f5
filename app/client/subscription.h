// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>

namespace divisi::client {

/// Decides when the console asks for the cluster's state and which events it may show: those that follow on from a
/// snapshot. Until one has come, events are dropped. Knows neither socket nor clock.
class Subscription {
public:
    using Attempt = std::uint64_t;

    /// Begins an attempt: a connection was made, or the time for the next one has come. Ends older attempts.
    Attempt begin() {
        follows_ = false;
        return ++attempt_;
    }
    /// Events were dropped. True: begin an attempt; false: one is under way.
    bool lost_events() { return std::exchange(follows_, false); }
    /// The snapshot of an attempt came; false when a newer attempt is under way.
    bool succeeded(Attempt attempt) {
        if (attempt != attempt_) return false;
        return follows_ = true;
    }
    /// An attempt failed. True: begin another one later; false: a newer one is under way.
    bool failed(Attempt attempt) const { return attempt == attempt_ && !follows_; }

    /// Whether events follow on from what was shown last.
    bool follows() const { return follows_; }

private:
    Attempt attempt_ = 0;
    bool follows_ = false;
};

}  // namespace divisi::client
