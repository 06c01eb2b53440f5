// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/base/clock.h"

namespace divisi::mesh::inline relay {

/// How well something passes, over one period (signaling type 5).
struct Quality {
    double bytes_per_s = 0;                       ///< of chunks that the next hop has freed
    double busy = 0;                              ///< share of the time in which something was under way
    double credit_wait = 0;                       ///< share of the time in which nothing could go for want of credit
    double latency_p50_s = 0, latency_p99_s = 0;  ///< from a chunk's going to its freeing; 0: none was freed
    std::uint64_t retries = 0;                    ///< chunks that were taken back to go again, since the flow began
    std::uint64_t refusals = 0;                   ///< of chunks and of reservations, likewise
    bool operator==(const Quality&) const = default;
};

/// Measures one flow, or one link, without a clock of its own; `now` never goes back.
class Meter {
public:
    /// Something is queued or under way.
    void set_busy(bool busy, TimePoint now) { busy_.set(busy, now); }
    /// Something is queued, and the next hop has promised no memory for it.
    void set_waiting(bool waiting, TimePoint now) { waiting_.set(waiting, now); }
    void delivered(std::uint64_t bytes, Duration took);
    void retried(std::uint64_t chunks) { retries_ += chunks; }
    void refused() { ++refusals_; }

    /// The figures since the last call; the first one begins.
    Quality take(TimePoint now);

private:
    /// How long something has been so, in this period.
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

/// Latencies that are kept of a period: enough for a p99. Of more, the oldest give way.
inline constexpr std::size_t most_latencies = 256;
/// Signaling type 5 of MESH.md.
inline constexpr Duration quality_period = std::chrono::seconds(1);

}  // namespace divisi::mesh::inline relay
