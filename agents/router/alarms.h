// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "backend/base/clock.h"

namespace divisi::router {

/// What a device tells of its quality (signaling type 5), summed over its neighbours.
struct QualityFigures {
    std::uint64_t retries = 0;   ///< chunks that went another way, since it began
    std::uint64_t refusals = 0;  ///< of frames and RSVP, likewise
    double worst_p99_s = 0;  ///< of a chunk's going to its freeing, by the worst neighbour, in the last whole period
};

/// What is told at once, not with the next report: policy sets it. Where it says nothing, a growth that is no noise,
/// and a latency that a person notices.
struct AlarmThresholds {
    std::uint64_t retries = 16, refusals = 8;  ///< growth since the last report
    Duration latency = std::chrono::milliseconds(500);
};
/// Such a report comes no sooner after another, so that whoever makes trouble at most doubles their number.
inline constexpr Duration between_alarms = std::chrono::milliseconds(250);

/// Says when a report is due at once, because a figure has passed its threshold.
class Alarms {
public:
    /// `now` never goes back.
    bool raised_by(const QualityFigures& figures, TimePoint now);
    void reported(const QualityFigures& figures, TimePoint now);
    /// Holds at once, also for what has grown since the last report.
    void set(const AlarmThresholds& thresholds) { thresholds_ = thresholds; }

private:
    AlarmThresholds thresholds_;
    QualityFigures told_;
    std::optional<TimePoint> last_;
};

}  // namespace divisi::router
