// SPDX-License-Identifier: Apache-2.0
#include "backend/link/probe_series.h"

#include <algorithm>
#include <cmath>

#include "backend/link/error_texts.h"

namespace divisi::link {
namespace {

constexpr std::size_t small_bytes = 64;
constexpr int warm_up_tensors = 16;
constexpr std::size_t least_samples = 9;  ///< fewer samples give no useful quartiles
constexpr std::size_t most_samples = 101;
/// Duration of a phase. A phase also needs least_samples, and ends early after most_samples.
constexpr Duration phase_time = std::chrono::milliseconds(60);
/// large_bytes: size of a typical activation, so large that socket buffers and caches are full during most of the
/// transfer. first_bulk_bytes: size of the first large tensors and, on a slow link, of all large tensors.
constexpr std::size_t large_bytes = 4u << 20, first_bulk_bytes = 1u << 20;
/// Number of large tensors that are sent first. If they take longer than slow_first_bulk_s, later ones are sent one at
/// a time. There are two of them, because a full token bucket on the path may speed up the first one.
constexpr int first_bulk_tensors = 2;
constexpr double slow_first_bulk_s = 0.1;
constexpr int bulk_tensors = 2;

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
}
double median(const std::vector<double>& values) { return quantile(values, 0.5); }
double spread(const std::vector<double>& values) { return quantile(values, 0.75) - quantile(values, 0.25); }

}  // namespace

control::LinkFigures figures_of(const ProbeSamples& samples) {
    const double round_trip = median(samples.round_trips);
    control::LinkFigures figures;
    figures.latency_s = round_trip / 2;
    figures.latency_spread_s = spread(samples.round_trips) / 2;
    figures.message_s = std::max(median(samples.bursts) - round_trip, 0.0) / (burst_tensors - 1);
    std::vector<double> rates;
    for (const double bulk : samples.bulks)
        rates.push_back(samples.bulk_bytes / (bulk - std::min(round_trip, bulk / 2)));
    figures.bytes_per_s = median(rates);
    figures.bytes_spread_per_s = spread(rates);
    return figures;
}

void ProbeSeries::run(Duration deadline, std::function<std::string()> why) {
    timer_.start(deadline, [this, why = std::move(why)] {
        const std::string trouble = why();
        const Ended ended = std::move(ended_);
        ended(trouble.empty() ? make_error(error_text("probe-ended-late"), "link probe")
                              : make_error(error_text("probe-ended-late-with-trouble"), "link probe", {trouble}));
    });
    begin(Phase::warm_up);
}

void ProbeSeries::begin(Phase phase) {
    phase_ = phase;
    phase_began_ = loop_.now();
    repeat();
}

void ProbeSeries::repeat() {
    switch (phase_) {
        case Phase::warm_up:
        case Phase::round_trips: return send(1, small_bytes);
        case Phase::bursts: return send(burst_tensors, small_bytes);
        case Phase::first_bulk: return send(first_bulk_tensors, first_bulk_bytes);
        case Phase::bulks: return send(bulk_count_, bulk_tensor_);
    }
}

void ProbeSeries::send(int count, std::size_t bytes) {
    sent_at_ = loop_.now();
    if (auto sent = send_(count, bytes); !sent) end(sent.error());
}

void ProbeSeries::answered() { take(std::chrono::duration<double>(loop_.now() - sent_at_).count()); }

void ProbeSeries::take(double seconds) {
    switch (phase_) {
        case Phase::warm_up:
            if (++warm_ups_ == warm_up_tensors) return begin(Phase::round_trips);
            return repeat();
        case Phase::round_trips:
            samples_.round_trips.push_back(seconds);
            return enough(samples_.round_trips) ? begin(Phase::bursts) : repeat();
        case Phase::bursts:
            samples_.bursts.push_back(seconds);
            return enough(samples_.bursts) ? begin(Phase::first_bulk) : repeat();
        case Phase::first_bulk:
            bulk_count_ = seconds > slow_first_bulk_s ? 1 : bulk_tensors;
            bulk_tensor_ = seconds > slow_first_bulk_s ? first_bulk_bytes : large_bytes;
            samples_.bulk_bytes = static_cast<double>(bulk_tensor_) * bulk_count_;
            return begin(Phase::bulks);
        case Phase::bulks:
            if (too_few(seconds)) {
                bulk_count_ *= 2;
                samples_.bulk_bytes *= 2;
                return begin(Phase::bulks);
            }
            samples_.bulks.push_back(seconds);
            return enough(samples_.bulks) ? end(figures_of(samples_)) : repeat();
    }
}

bool ProbeSeries::enough(const std::vector<double>& samples) const {
    return samples.size() >= most_samples ||
           (samples.size() >= least_samples && loop_.now() - phase_began_ >= phase_time);
}

/// Returns whether the large tensors must grow. At most half of a sample's time is subtracted as the round trip. With a
/// longer round trip, the link would therefore seem slower than it is.
bool ProbeSeries::too_few(double seconds) const {
    return samples_.bulks.empty() && 2 * samples_.bulk_bytes <= static_cast<double>(most_bulk_) &&
           seconds < 2 * median(samples_.round_trips);
}

/// Calls `ended_` from a timer, because this function runs inside a call of the owner, which `ended_` may destroy.
void ProbeSeries::end(Result<control::LinkFigures> result) {
    timer_.start(Duration(0), [this, result = std::move(result)] {
        const Ended ended = std::move(ended_);
        ended(result);
    });
}

}  // namespace divisi::link
