// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "backend/control/protocol/message.h"
#include "backend/control/types/peer.h"

namespace divisi::control::inline protocol {

/// How little it looks as if a heartbeat were only late that has not come for `silence`: -log10 of the share of
/// heartbeats that come later than that, where intervals are distributed normally. 1 errs once in ten times, 8 once in
/// 10^8 (Hayashibara et al., "The phi accrual failure detector", SRDS 2004, section 4).
double phi(Duration silence, Duration mean, Duration deviation);

/// Whoever has this phi is suspected.
inline constexpr double suspicious = 8;
/// How many deviations beyond the mean phi is `suspicious`: the normal distribution's quantile of 1 - 10^-8.
inline constexpr double suspicious_deviations = 5.612001244;
/// However regular the heartbeats are, no verdict is faster than a live process that dials again: on a busy two-core
/// machine its handshake takes up to a second.
inline constexpr Duration least_deviation = std::chrono::milliseconds(250);
/// Intervals that tell how regular a peer is, the newest: of 50 s.
inline constexpr std::size_t intervals_kept = 100;
/// Who has been heard less often is not known well enough.
inline constexpr std::size_t least_intervals = 4;
/// A shorter pause, of this process or on the way, makes nobody give up a connection: that takes peer_timeout.
inline constexpr Duration longest_hold_up = peer_timeout / 2;

/// What the end of a connection proves.
struct Death {
    TimePoint from{};  ///< lived; from then on its process is held to be dead, if nothing of it is heard until then
    /// It was heard less often than least_intervals asks: by itself that proves nothing, but beside the deaths of those
    /// that are known on the same machine it is one more.
    bool hardly_known = false;
    bool operator==(const Death&) const = default;
};

/// Tells connections that end because their process has died from those that end because of the network. A process that
/// dies is heard regularly until its kernel closes its connection; who gives up a connection has missed the other for a
/// while before, and then the other has missed it too, or was held up itself. An end after regular heartbeats is
/// therefore strong evidence, and silence alone is weak. Times are lived (LivedTime).
class FailureDetector {
public:
    /// A step of this process begins, at `now` by its clock.
    void live(TimePoint now, TimePoint lived);
    /// A heartbeat of the peer has come.
    void hear(PeerId peer);
    /// How suspect its silence is now; 0 where it is not known well enough.
    double suspicion(PeerId peer) const;
    /// Its connection is over; `closed`: from the other end. It is dead as soon as its silence is suspicious, and after
    /// peer_timeout at the latest; who is hardly known is taken to beat as everybody does. None where the end proves
    /// nothing.
    std::optional<Death> end(PeerId peer, bool closed);

private:
    struct Heartbeats {
        TimePoint last{};
        std::deque<Duration> intervals;
        std::optional<TimePoint> gap;  ///< when one came that had been suspiciously late, by more than a hold-up
    };
    struct Rhythm {
        Duration mean{}, deviation{};
    };

    static bool is_known(const Heartbeats& beats) { return beats.intervals.size() >= least_intervals; }
    static Rhythm rhythm(const Heartbeats& beats);
    static double suspicion(const Heartbeats& beats, TimePoint at);
    /// Within the time in which a connection is given up.
    bool is_recent(const std::optional<TimePoint>& time) const { return time && lived_ - *time < peer_timeout; }

    std::map<PeerId, Heartbeats> peers_;
    std::optional<TimePoint> stepped_;  ///< by the clock
    std::optional<TimePoint> held_up_;  ///< when this process went on after it had been held up for long
    TimePoint lived_{};
};

}  // namespace divisi::control::inline protocol
