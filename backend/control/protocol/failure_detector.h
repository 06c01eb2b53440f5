// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "backend/control/protocol/silence.h"
#include "backend/control/types/types.h"

namespace divisi::control::inline protocol {

/// Returns -log10 of the share of heartbeats that arrive later than `silence`, if intervals are normally distributed. A
/// high value means that the heartbeat is probably not just late. A suspicion at phi 1 is wrong once in ten times, a
/// suspicion at phi 8 once in 10^8 times. Source: Hayashibara et al., "The phi accrual failure detector", SRDS 2004,
/// section 4.
double phi(Duration silence, Duration mean, Duration deviation);

/// A peer with at least this phi is suspected.
inline constexpr double suspicious = 8;
/// The number of deviations beyond the mean at which phi is `suspicious`: the normal distribution's quantile of 1 -
/// 10^-8.
inline constexpr double suspicious_deviations = 5.612001244;
/// Lower bound for the deviation, however regular the heartbeats are. No verdict may be faster than a live process can
/// reconnect: on a busy two-core machine, the handshake takes up to a second.
inline constexpr Duration least_deviation = std::chrono::milliseconds(250);
/// Number of a peer's newest intervals that are used to estimate its regularity. 100 intervals span 50 s.
inline constexpr std::size_t intervals_kept = 100;
/// A peer with fewer intervals is not known well enough.
inline constexpr std::size_t least_intervals = 4;
/// A pause of this process or of the network, up to this length, does not make peers give up a connection. Peers give
/// up after peer_timeout.
inline constexpr Duration longest_hold_up = peer_timeout / 2;

/// The conclusion that a peer's process died, drawn from the end of its connection.
struct Death {
    TimePoint from{};  ///< lived time from which the process counts as dead, unless it sends a message earlier
    /// Whether fewer heartbeat intervals than least_intervals were received. The end of such a connection alone proves
    /// nothing, but it supports the verdict about well-known peers on the same machine.
    bool hardly_known = false;
    bool operator==(const Death&) const = default;
};

/// Distinguishes connections that ended because the process died from connections that the network broke. A dying
/// process sends regular heartbeats until its kernel closes the connection. A peer that gives up a connection has
/// missed our heartbeats for a while. In that case we have missed the peer's heartbeats too, or the peer was paused
/// itself. The end of a connection after regular heartbeats is therefore strong evidence of a death; silence alone is
/// weak evidence. All times are lived time (LivedTime).
class FailureDetector {
public:
    /// Begins a step of this process at `now`, the time of its clock.
    void live(TimePoint now, TimePoint lived);
    /// Records a heartbeat of the peer.
    void hear(PeerId peer);
    /// Returns phi for the peer's current silence; 0 if the peer is not known well enough.
    double suspicion(PeerId peer) const;
    /// Handles the end of the peer's connection; `closed`: whether the peer's side closed it. Returns the time from
    /// which the peer counts as dead: when the peer's silence becomes suspicious, at the latest after peer_timeout. A
    /// hardly known peer is assumed to send one heartbeat in each heartbeat_interval. Returns none if the end of the
    /// connection proves nothing.
    std::optional<Death> end(PeerId peer, bool closed);

private:
    struct Heartbeats {
        TimePoint last{};
        std::deque<Duration> intervals;
        /// time at which a heartbeat arrived suspiciously late, after more than longest_hold_up
        std::optional<TimePoint> gap;
    };
    struct IntervalStats {
        Duration mean{}, deviation{};
    };

    static bool is_known(const Heartbeats& beats) { return beats.intervals.size() >= least_intervals; }
    static IntervalStats interval_stats(const Heartbeats& beats);
    static double suspicion(const Heartbeats& beats, TimePoint at);
    /// Returns whether `time` is within the last peer_timeout.
    bool is_recent(const std::optional<TimePoint>& time) const { return time && lived_ - *time < peer_timeout; }

    std::map<PeerId, Heartbeats> peers_;
    std::optional<TimePoint> stepped_;  ///< clock time of the last step
    std::optional<TimePoint> held_up_;  ///< time at which this process resumed after a long pause
    TimePoint lived_{};
};

}  // namespace divisi::control::inline protocol
