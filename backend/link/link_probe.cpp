// SPDX-License-Identifier: Apache-2.0
#include "backend/link/link_probe.h"

#include <algorithm>

namespace divisi::link {
namespace {

constexpr const char* sink_name = "sink";
constexpr Generation generation = 1;
/// Each probe has ends of its own, and each is one process.
constexpr frame::Incarnation incarnation = 1;

constexpr std::size_t small_bytes = 64;
constexpr int warm_up_tensors = 16;
constexpr std::size_t least_samples = 9;  ///< quartiles of fewer say little
constexpr std::size_t most_samples = 101;
/// A phase takes so long, or least_samples.
constexpr Duration phase_time = std::chrono::milliseconds(60);
/// Activations of a micro-batch are of this size; sockets and caches are full long before its end.
constexpr std::size_t large_bytes = 4u << 20, first_bulk_bytes = 1u << 20;
/// A link that takes longer for the first MiB gets no more than that at once.
constexpr double slow_first_bulk_s = 0.05;
constexpr int bulk_tensors = 2;

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}
double median(const std::vector<double>& values) { return quantile(values, 0.5); }
double spread(const std::vector<double>& values) { return quantile(values, 0.75) - quantile(values, 0.25); }

}  // namespace

ProbeSink::ProbeSink(Loop& loop, Transport& transport, std::uint64_t probe)
    : port_(loop, transport, Sid(sink_name), incarnation,
            {[this](const frame::TensorFrame& frame) { port_.release(frame.key); }, {}, {}}) {
    port_.enter(probe, generation);
}

Result<std::string> ProbeSink::listen(const std::string& endpoint, bool allow_remote) {
    return port_.listen(endpoint, allow_remote);
}

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

LinkProbe::LinkProbe(Loop& loop, Transport& transport, std::uint64_t probe, Ended ended)
    : loop_(loop),
      probe_(probe),
      ended_(std::move(ended)),
      port_(loop, transport, Sid("probe-" + std::to_string(probe)), incarnation,
            {{}, [this](const frame::TensorKey&) { released(); }, [this](const Error& error) { trouble_ = error; }}),
      timer_(loop) {
    port_.enter(probe, generation);
}

void LinkProbe::run(const std::string& endpoint, const std::string& server_key, Duration deadline) {
    timer_.start(deadline, [this] {
        const std::string why = trouble_ ? ": " + trouble_->message() : "";
        const Ended ended = std::move(ended_);
        ended(Error{ErrorCode::deadline, "the probe did not end in time" + why, "link probe",
                    "check that the nodes reach each other"});
    });
    port_.connect(Sid(sink_name), incarnation, endpoint, server_key);
    begin(Phase::warm_up);
}

void LinkProbe::begin(Phase phase) {
    phase_ = phase;
    phase_began_ = loop_.now();
    repeat();
}

void LinkProbe::repeat() {
    switch (phase_) {
        case Phase::warm_up:
        case Phase::round_trips: return send(1, small_bytes);
        case Phase::bursts: return send(burst_tensors, small_bytes);
        case Phase::first_bulk: return send(1, first_bulk_bytes);
        case Phase::bulks: return send(bulk_count_, bulk_tensor_);
    }
}

void LinkProbe::send(int count, std::size_t bytes) {
    frame::TensorFrame frame;
    const std::vector<std::uint8_t> values(bytes, 120);
    frame.tensor = graph::HostTensor::of(graph::DType::uint8, {static_cast<std::int64_t>(bytes)}, values);
    outstanding_ = count;
    sent_at_ = loop_.now();
    for (int i = 0; i < count; ++i) {
        frame.key = {probe_, generation, frame::FrameKind::activation, 0, ++step_, 0};
        if (auto sent = port_.send(Sid(sink_name), frame); !sent) return end(sent.error());
    }
}

void LinkProbe::released() {
    if (--outstanding_ == 0) take(std::chrono::duration<double>(loop_.now() - sent_at_).count());
}

void LinkProbe::take(double seconds) {
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
            samples_.bulks.push_back(seconds);
            return enough(samples_.bulks) ? end(figures_of(samples_)) : repeat();
    }
}

bool LinkProbe::enough(const std::vector<double>& samples) const {
    return samples.size() >= most_samples ||
           (samples.size() >= least_samples && loop_.now() - phase_began_ >= phase_time);
}

/// Later, since this is inside the port, which `ended_` may destroy.
void LinkProbe::end(Result<control::LinkFigures> result) {
    timer_.start(Duration(0), [this, result = std::move(result)] {
        const Ended ended = std::move(ended_);
        ended(result);
    });
}

}  // namespace divisi::link
