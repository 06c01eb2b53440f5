// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "backend/base/clock.h"

namespace divisi::router {

/// Figures of a device's quality (signaling type 5), summed over its neighbours.
struct QualityFigures {
    std::uint64_t retries = 0;   ///< chunks rerouted to another next hop, since the start
    std::uint64_t refusals = 0;  ///< refused frames and RSVP messages, since the start
    /// 99th percentile of the seconds from sending a chunk to its release, at the worst neighbour in the last complete
    /// period
    double worst_p99_s = 0;
};

/// Thresholds set by the policy. A figure beyond its threshold is reported immediately, instead of with the next
/// report. The default growth is larger than normal fluctuations; the default latency is one that a person notices.
struct AlarmThresholds {
    std::uint64_t retries = 16, refusals = 8;  ///< an alarm is due after this growth since the last report
    Duration latency = std::chrono::milliseconds(500);
};
/// Minimum time between an immediate report and the previous one, so that a faulty peer can at most double the number
/// of reports.
inline constexpr Duration between_alarms = std::chrono::milliseconds(250);

/// Decides when a report is due immediately because a figure exceeds its threshold.
class Alarms {
public:
    /// Returns whether the figures require a report. `now` must never decrease.
    bool raised_by(const QualityFigures& figures, TimePoint now);
    void reported(const QualityFigures& figures, TimePoint now);
    /// Sets the thresholds. They apply immediately, including to growth since the last report.
    void set(const AlarmThresholds& thresholds) { thresholds_ = thresholds; }

private:
    AlarmThresholds thresholds_;
    QualityFigures told_;
    std::optional<TimePoint> last_;
};

}  // namespace divisi::router
