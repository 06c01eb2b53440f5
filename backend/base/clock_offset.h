// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/base/clock.h"

namespace divisi {

/// Estimates how far another clock is behind this one, from messages that carry their sending time. A message's transit
/// time makes the other clock seem further behind, so the smallest difference is the most accurate. The estimate's
/// error is the shortest transit time: negligible within a machine, otherwise the network's shortest delay.
class ClockOffset {
public:
    /// Each difference expires after one to two periods, because clocks drift.
    static constexpr Duration period = std::chrono::seconds(15);
    /// Limit for each time in a sum or difference, so that no sum overflows; no real clock is wrong by this much.
    static constexpr Duration most{std::int64_t{1} << 61};

    /// Records a message that was sent at `sent` by the other clock and arrived at `now` by this one. Returns the
    /// offset to add to a time of the other clock to get this clock's time.
    Duration take(TimePoint sent, TimePoint now) {
        if (now - began_ >= period || now < began_) {
            before_ = now - began_ < 2 * period && now >= began_ ? least_ : Duration::max();
            least_ = Duration::max();
            began_ = now;
        }
        least_ = std::min(least_, difference(sent, now));
        return offset();
    }
    /// Returns the current estimate; Duration::max() before the first message.
    Duration offset() const { return std::min(before_, least_); }
    /// Returns when the current period began.
    TimePoint began() const { return began_; }

private:
    static Duration difference(TimePoint sent, TimePoint now) {
        // Each time is clamped separately first, because a peer may send any number.
        const auto count = [](TimePoint at) { return std::clamp(at.time_since_epoch(), -most, most); };
        return std::clamp(count(now) - count(sent), -most, most);
    }

    TimePoint began_{};
    Duration least_ = Duration::max();   ///< smallest difference of this period
    Duration before_ = Duration::max();  ///< smallest difference of the previous period
};

}  // namespace divisi
