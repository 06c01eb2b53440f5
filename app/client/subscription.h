// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>

namespace divisi::client {

/// Decides when the console requests the cluster's state and which events it may show: those that directly follow a
/// snapshot. Until a snapshot has come, events are dropped. Knows neither socket nor clock.
class Subscription {
public:
    using Attempt = std::uint64_t;

    /// Starts an attempt after connecting or when the next one is due. Ends older attempts.
    Attempt begin() {
        follows_ = false;
        return ++attempt_;
    }
    /// Records that events were dropped. Returns true if the caller must start an attempt, false if one is under way.
    bool lost_events() { return std::exchange(follows_, false); }
    /// Records that the snapshot of an attempt came. Returns false if a newer attempt is under way.
    bool succeeded(Attempt attempt) {
        if (attempt != attempt_) return false;
        return follows_ = true;
    }
    /// Returns whether another attempt is needed after this one failed; false if a newer one is under way.
    bool failed(Attempt attempt) const { return attempt == attempt_ && !follows_; }

    /// Returns whether events directly follow what was shown last.
    bool follows() const { return follows_; }

private:
    Attempt attempt_ = 0;
    bool follows_ = false;
};

}  // namespace divisi::client
