// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>

namespace divisi::client {

/// Decides when the console requests a snapshot of the cluster's state, and which events it shows: only events that
/// directly follow a snapshot. Events are dropped until a snapshot has arrived. Uses neither sockets nor clocks.
class Subscription {
public:
    using Attempt = std::uint64_t;

    /// Starts an attempt to get a snapshot, after connecting or when the next attempt is due. Older attempts become
    /// invalid.
    Attempt begin() {
        follows_ = false;
        return ++attempt_;
    }
    /// Records that events were dropped. Returns true if the caller must start an attempt, false if an attempt is
    /// already running.
    bool lost_events() { return std::exchange(follows_, false); }
    /// Records that the snapshot of an attempt has arrived. Returns false if a newer attempt is under way.
    bool succeeded(Attempt attempt) {
        if (attempt != attempt_) return false;
        return follows_ = true;
    }
    /// Returns whether another attempt is needed after this one failed; false if a newer attempt is under way.
    bool failed(Attempt attempt) const { return attempt == attempt_ && !follows_; }

    /// Returns whether events directly follow the last displayed state.
    bool follows() const { return follows_; }

private:
    Attempt attempt_ = 0;
    bool follows_ = false;
};

}  // namespace divisi::client
