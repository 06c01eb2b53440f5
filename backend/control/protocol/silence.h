// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "backend/base/clock.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

/// The heartbeat interval of the control plane; a peer that is silent for ten intervals is lost. Heartbeats detect
/// machines that vanish and processes that hang. A process that ends closes its connection, which is noticed at once.
/// The timeout is long because a busy two-core machine delays heartbeats by seconds, and a late detection does not hurt
/// training.
inline constexpr Duration heartbeat_interval = std::chrono::milliseconds(500);
inline constexpr Duration peer_timeout = 10 * heartbeat_interval;

/// Time within which a node or an instance whose connection broke may come back as the same process. After a network
/// failure of 10 s, reconnecting takes 5 s more. A peer that is away for longer counts as gone.
inline constexpr Duration return_grace = std::chrono::seconds(20);

/// Measures lived time: the time during which this process runs. Lived time does not advance while the process is
/// stopped, suspended or blocked, since it cannot receive messages then. A timeout in lived time therefore does not
/// blame peers for this process's own pauses.
class LivedTime {
public:
    /// Maximum time that one call adds: twice the time between two calls of a living process.
    static constexpr Duration longest_step = 2 * heartbeat_interval;

    /// Returns the lived time at `now`. Call at least once each heartbeat interval.
    TimePoint at(TimePoint now);

private:
    std::optional<TimePoint> asked_;
    TimePoint lived_{};
};

/// Detects silent peers, at both ends of the control plane. Silence reveals machines that vanish and processes that
/// hang. A process that ends closes its connection, which is noticed immediately.
class SilenceDetector {
public:
    explicit SilenceDetector(Duration limit = peer_timeout) : limit_(limit) {}

    /// Records that `peer` sent a message or has just connected.
    void hear(PeerId peer, TimePoint now) { heard_[peer] = time_.at(now); }
    void forget(PeerId peer) { heard_.erase(peer); }
    /// Returns the peers that were silent for longer than the limit, in lived time. Call once each heartbeat interval.
    /// If the call is late, messages that arrived while this process was blocked have not been read yet. In that case
    /// returns only peers that were also silent at the last call.
    std::vector<PeerId> silent(TimePoint now);

private:
    Duration limit_;
    LivedTime time_;
    std::optional<TimePoint> asked_;
    std::vector<PeerId> suspects_;  ///< peers silent at the last call, ascending
    std::map<PeerId, TimePoint> heard_;
};

}  // namespace divisi::control::inline protocol
