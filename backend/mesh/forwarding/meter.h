// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/base/clock.h"

namespace divisi::mesh::inline forwarding {

/// Transfer quality of a flow or link over one period (signaling type 5).
struct Quality {
    double bytes_per_s = 0;  ///< rate of chunks that the next hop has freed
    double busy = 0;         ///< share of the time in which data was in transit
    double credit_wait = 0;  ///< share of the time in which no data could be sent for lack of credit
    double latency_p50_s = 0, latency_p99_s = 0;  ///< from sending a chunk until it is freed; 0: none was freed
    std::uint64_t retries = 0;                    ///< chunks taken back to be sent again, since the flow began
    std::uint64_t refusals = 0;                   ///< refused chunks and reservations, since the flow began
    bool operator==(const Quality&) const = default;
};

/// Measures one flow or link. Reads no clock: the caller passes `now`, which must never decrease.
class Meter {
public:
    /// Sets whether something is queued or in transit.
    void set_busy(bool busy, TimePoint now) { busy_.set(busy, now); }
    /// Sets whether data is queued for which the next hop has promised no memory.
    void set_waiting(bool waiting, TimePoint now) { waiting_.set(waiting, now); }
    void delivered(std::uint64_t bytes, Duration took);
    void retried(std::uint64_t chunks) { retries_ += chunks; }
    void refused() { ++refusals_; }

    /// Returns the figures since the last call; the first call starts the measurement.
    Quality take(TimePoint now);

private:
    /// Sums up how long a condition has held in this period.
    class Span {
    public:
        void set(bool on, TimePoint now);
        Duration take(TimePoint now);

    private:
        std::optional<TimePoint> since_;
        Duration total_{};
    };
    Span busy_, waiting_;
    std::uint64_t bytes_ = 0, retries_ = 0, refusals_ = 0, seen_ = 0;
    std::vector<Duration> latencies_;
    std::optional<TimePoint> begun_;
};

/// Latencies kept per period, enough for a p99; beyond the limit the oldest are replaced.
inline constexpr std::size_t most_latencies = 256;
/// Period of the reports of signaling type 5, as the specification MESH.md requires.
inline constexpr Duration quality_period = std::chrono::seconds(1);

}  // namespace divisi::mesh::inline forwarding
