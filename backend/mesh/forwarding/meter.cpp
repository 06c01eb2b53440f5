// SPDX-License-Identifier: Apache-2.0
#include "backend/mesh/forwarding/meter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace divisi::mesh::inline forwarding {
namespace {

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Returns the quantile at `share` in seconds: the value at that position among the sorted values; 0 if there are no
/// values.
double quantile(std::vector<Duration>& values, double share) {
    if (values.empty()) return 0;
    const auto at = values.begin() + std::lround(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, at);
    return seconds(*at);
}

}  // namespace

void Meter::Span::set(bool on, TimePoint now) {
    if (on && !since_) since_ = now;
    if (!on && since_) total_ += now - *std::exchange(since_, std::nullopt);
}

Duration Meter::Span::take(TimePoint now) {
    if (since_) total_ += now - *std::exchange(since_, now);
    return std::exchange(total_, Duration{});
}

void Meter::delivered(std::uint64_t bytes, Duration took) {
    bytes_ += bytes;
    if (latencies_.size() < most_latencies) latencies_.push_back(took);
    else latencies_[seen_ % most_latencies] = took;
    ++seen_;
}

Quality Meter::take(TimePoint now) {
    Quality quality;
    const double period_s = begun_ ? seconds(now - *begun_) : 0;
    const Duration busy = busy_.take(now), waiting = waiting_.take(now);
    if (period_s > 0) {
        quality.bytes_per_s = static_cast<double>(bytes_) / period_s;
        quality.busy = std::min(1.0, seconds(busy) / period_s);
        quality.credit_wait = std::min(1.0, seconds(waiting) / period_s);
    }
    quality.latency_p50_s = quantile(latencies_, 0.5);
    quality.latency_p99_s = quantile(latencies_, 0.99);
    quality.retries = retries_;
    quality.refusals = refusals_;
    begun_ = now;
    bytes_ = 0;
    seen_ = 0;
    latencies_.clear();
    return quality;
}

}  // namespace divisi::mesh::inline forwarding
