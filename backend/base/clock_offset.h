// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/base/clock.h"

namespace divisi {

/// How far another clock is behind this one, told by messages that say when they were sent. What a message took on its
/// way makes the clock seem further behind, so that the least of late is the truest: exact within a machine, else off
/// by the network's shortest delay.
class ClockOffset {
public:
    /// A difference counts for one to two of these: clocks drift.
    static constexpr Duration period = std::chrono::seconds(15);
    /// Bounds of what is added up: no clock is further off.
    static constexpr Duration most{std::int64_t{1} << 61};

    /// A message came now, of this clock, and was sent at `sent` of the other. What to add to a time of the other clock
    /// to have this one's.
    Duration take(TimePoint sent, TimePoint now) {
        if (now - began_ >= period || now < began_) {
            before_ = now - began_ < 2 * period && now >= began_ ? least_ : Duration::max();
            least_ = Duration::max();
            began_ = now;
        }
        least_ = std::min(least_, difference(sent, now));
        return offset();
    }
    /// Duration::max() before the first message.
    Duration offset() const { return std::min(before_, least_); }
    /// When the newest differences began to be compared.
    TimePoint began() const { return began_; }

private:
    static Duration difference(TimePoint sent, TimePoint now) {
        // Both are clamped by themselves first: a peer may say any number.
        const auto count = [](TimePoint at) { return std::clamp(at.time_since_epoch(), -most, most); };
        return std::clamp(count(now) - count(sent), -most, most);
    }

    TimePoint began_{};
    Duration least_ = Duration::max();   ///< of this period
    Duration before_ = Duration::max();  ///< of the one before
};

}  // namespace divisi
