// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "backend/control/protocol/message.h"
#include "backend/control/types/peer.h"

namespace divisi::control::inline protocol {

/// Time as its process lived it. While the process is stopped, suspended or held up, others cannot be heard, and
/// this time stands still, so that whoever measures patience in it forgives others the pauses of its own.
class LivedTime {
public:
    /// The longest step of one call: twice as long as a process that lives lets pass between two calls.
    static constexpr Duration longest_step = 2 * heartbeat_interval;

    /// Of `now`; to be asked at every heartbeat interval at least.
    TimePoint at(TimePoint now);

private:
    std::optional<TimePoint> asked_;
    TimePoint lived_{};
};

/// The one detector of silence, for both ends of the control plane. Silence is for machines that vanish and
/// processes that hang: a process that ends closes its connection, which is noticed at once.
class SilenceDetector {
public:
    explicit SilenceDetector(Duration limit = peer_timeout) : limit_(limit) {}

    /// `peer` said something, or begins.
    void hear(PeerId peer, TimePoint now) { heard_[peer] = time_.at(now); }
    void forget(PeerId peer) { heard_.erase(peer); }
    /// Who has been silent for longer than the limit, in lived time. To be asked at every heartbeat interval. Where the
    /// asking comes late, what was said while this process was held up has not been read yet: only those count who were
    /// silent when it was last asked, too.
    std::vector<PeerId> silent(TimePoint now);

private:
    Duration limit_;
    LivedTime time_;
    std::optional<TimePoint> asked_;
    std::vector<PeerId> suspects_;  ///< who was silent when last asked, ascending
    std::map<PeerId, TimePoint> heard_;
};

}  // namespace divisi::control::inline protocol
