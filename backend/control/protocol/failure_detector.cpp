// SPDX-License-Identifier: Apache-2.0
#include "backend/control/protocol/failure_detector.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace divisi::control::inline protocol {
namespace {

using Seconds = std::chrono::duration<double>;

/// Upper bound for phi: beyond it, the share of heartbeats that arrive later is too small for a double.
constexpr double most_phi = 300;

}  // namespace

double phi(Duration silence, Duration mean, Duration deviation) {
    const double beyond = Seconds(silence - mean) / Seconds(deviation);
    const double later = std::erfc(beyond / std::numbers::sqrt2) / 2;
    return later > 0 ? std::min(-std::log10(later), most_phi) : most_phi;
}

FailureDetector::IntervalStats FailureDetector::interval_stats(const Heartbeats& beats) {
    if (!is_known(beats)) return {heartbeat_interval, least_deviation};
    const auto count = static_cast<double>(beats.intervals.size());
    double sum = 0, squares = 0;
    for (const Duration one : beats.intervals) sum += Seconds(one).count();
    const double mean = sum / count;
    for (const Duration one : beats.intervals) squares += std::pow(Seconds(one).count() - mean, 2);
    const auto lasting = [](double seconds) { return std::chrono::duration_cast<Duration>(Seconds(seconds)); };
    return {lasting(mean), std::max(lasting(std::sqrt(squares / count)), least_deviation)};
}

double FailureDetector::suspicion(const Heartbeats& beats, TimePoint at) {
    const IntervalStats its = interval_stats(beats);
    return phi(at - beats.last, its.mean, its.deviation);
}

void FailureDetector::live(TimePoint now, TimePoint lived) {
    if (stepped_ && now - *stepped_ > longest_hold_up) held_up_ = lived;
    stepped_ = now;
    lived_ = lived;
}

void FailureDetector::hear(PeerId peer) {
    const auto [found, fresh] = peers_.try_emplace(peer);
    Heartbeats& beats = found->second;
    if (!fresh) {
        const Duration interval = lived_ - beats.last;
        if (interval > longest_hold_up && suspicion(beats, lived_) >= suspicious) beats.gap = lived_;
        beats.intervals.push_back(interval);
        if (beats.intervals.size() > intervals_kept) beats.intervals.pop_front();
    }
    beats.last = lived_;
}

double FailureDetector::suspicion(PeerId peer) const {
    const auto found = peers_.find(peer);
    return found == peers_.end() || !is_known(found->second) ? 0 : suspicion(found->second, lived_);
}

std::optional<Death> FailureDetector::end(PeerId peer, bool closed) {
    const auto found = peers_.extract(peer);
    if (!closed) return std::nullopt;
    const Heartbeats beats = found.empty() ? Heartbeats{lived_, {}, {}} : found.mapped();
    if (suspicion(beats, lived_) >= suspicious) return std::nullopt;
    if (is_recent(beats.gap) || is_recent(held_up_)) return std::nullopt;
    const IntervalStats its = interval_stats(beats);
    const Duration patience = its.mean + std::chrono::duration_cast<Duration>(suspicious_deviations * its.deviation);
    return Death{beats.last + std::min(patience, peer_timeout), !is_known(beats)};
}

}  // namespace divisi::control::inline protocol
