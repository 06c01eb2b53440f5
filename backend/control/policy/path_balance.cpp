// SPDX-License-Identifier: Apache-2.0
#include "backend/control/policy/path_balance.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace divisi::control::inline policy {
namespace {

/// Weight of the newest second: after two seconds about half of the old value is forgotten.
constexpr double smoothing = 0.3;
/// Number of samples needed before a best rate counts, since the first seconds of a connection are not representative.
constexpr int samples_to_know = 3;

const char* ordinal(std::size_t path) { return path == 0 ? "first" : "second"; }

std::string rate_text(double bytes_per_s) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g MB/s", bytes_per_s / 1e6);
    return text;
}

std::string path_text(std::size_t path, const PathFigure& figure) {
    return std::string("the ") + ordinal(path) + " path (" + figure.name + ")";
}

/// Returns the percentage of all tensors that take this path.
int part_of(std::size_t path, int share) { return path == 0 ? share : 100 - share; }

/// Returns the share at which this path carries no tensors.
int without(std::size_t path) { return path == 0 ? 0 : 100; }

}  // namespace

std::string PathBalance::state() const {
    switch (state_) {
        case State::settled: return "settled";
        case State::moved: return std::string("the ") + ordinal(slow_) + " path was left";
        case State::trying: return std::string("the ") + ordinal(slow_) + " path is tried again";
    }
    return "";
}

void PathBalance::resume(std::size_t slow, int home, TimePoint now) {
    state_ = State::moved;
    slow_ = slow;
    home_ = home;
    judged_ = true;  // the path was judged before the restart
    changed_ = now;
    patience_ = first_patience;
    retry_at_ = now + patience_;
}

void PathBalance::forget() { rates_ = {}; }

std::optional<ShareMove> PathBalance::report(const std::array<PathFigure, 2>& paths, const std::set<std::string>& flows,
                                             int share, TimePoint now) {
    if (expected_ && *expected_ != share) {  // an operator or a module has set the share
        state_ = State::settled;
        forget();
        changed_ = now;
        patience_ = {};
    }
    expected_ = share;
    if (flows != flows_) {  // different flows have different chunks and rates
        flows_ = flows;
        forget();
    }
    for (std::size_t path : {0, 1}) take(path, paths[path]);
    switch (state_) {
        case State::settled: return settled(paths, share, now);
        case State::moved: return moved(paths, share, now);
        case State::trying: return trying(paths, share, now);
    }
    return std::nullopt;
}

void PathBalance::take(std::size_t path, const PathFigure& figure) {
    if (figure.busy < least_busy_to_measure) return;
    Rate& rate = rates_[path];
    const double measured = figure.bytes_per_s / figure.busy;
    // Credit arrives in bursts. A second without credit means a slow path, unless the path was hardly used.
    if (measured == 0 && figure.busy < least_busy_to_move) return;
    rate.smoothed = rate.samples == 0 ? measured : rate.smoothed + smoothing * (measured - rate.smoothed);
    if (++rate.samples >= samples_to_know) rate.best = std::max(rate.best, rate.smoothed);
    const bool slow = figure.busy >= least_busy_to_move && rate.smoothed < slow_below * rate.best;
    rate.slow = slow ? rate.slow + 1 : 0;
    rate.slow_sum = slow ? rate.slow_sum + measured : 0;
}

ShareMove PathBalance::go(State state, int from, int to, TimePoint now, std::string reason) {
    state_ = state;
    changed_ = now;
    expected_ = to;
    for (Rate& rate : rates_) rate.slow = 0, rate.slow_sum = 0;
    return {from, to, std::move(reason)};
}

ShareMove PathBalance::go_home(int share, TimePoint now, std::string reason) {
    return go(State::settled, share, home_, now, std::move(reason));
}

std::optional<ShareMove> PathBalance::settled(const std::array<PathFigure, 2>& paths, int share, TimePoint now) {
    if (now - changed_ >= forgiven_after) patience_ = {};
    if (now - changed_ < dwell) return std::nullopt;
    for (std::size_t path : {0, 1}) {
        const Rate& rate = rates_[path];
        const Rate& other = rates_[1 - path];
        if (part_of(path, share) == 0 || rate.slow < reports_to_move) continue;
        // The rate of an unused path is unknown; assume the best rate that the slow path has reached.
        const double expected = other.samples >= samples_to_know ? other.smoothed : rate.best;
        const double now_carries = rate.while_slow();
        if (now_carries >= well_above * expected) continue;
        slow_ = path;
        home_ = share;
        left_at_ = now_carries;
        judged_ = false;
        patience_ = patience_ == Duration{} ? first_patience : std::min(2 * patience_, longest_patience);
        retry_at_ = now + patience_;
        rates_[1 - path] = {};
        return go(State::moved, share, without(path), now,
                  path_text(path, paths[path]) + " carries " + rate_text(now_carries) + ", but has carried " +
                      rate_text(rate.best) + " for these flows");
    }
    return std::nullopt;
}

std::optional<ShareMove> PathBalance::moved(const std::array<PathFigure, 2>& paths, int share, TimePoint now) {
    const std::size_t other = 1 - slow_;
    const Rate& rate = rates_[other];
    if (now - changed_ < dwell || rate.samples < samples_to_know) return std::nullopt;
    const bool worse = rate.smoothed < well_above * left_at_;
    if ((!std::exchange(judged_, true) && worse) || (rate.slow >= reports_to_move && worse))
        return go_home(share, now,
                       path_text(other, paths[other]) + " carries " + rate_text(rate.smoothed) +
                           ", which is less than the " + rate_text(left_at_) + " at which the other path was left");
    // Without traffic, a trial would measure nothing.
    if (now < retry_at_ || paths[other].busy < least_busy_to_measure) return std::nullopt;
    rates_[slow_] = {};
    return go(State::trying, share, slow_ == 0 ? trial_percent : 100 - trial_percent, now,
              path_text(slow_, paths[slow_]) + " is tried again");
}

std::optional<ShareMove> PathBalance::trying(const std::array<PathFigure, 2>& paths, int share, TimePoint now) {
    const Rate& tried = rates_[slow_];
    const Rate& other = rates_[1 - slow_];
    if (tried.samples < samples_to_know && now - changed_ < longest_trial) return std::nullopt;
    const bool well = tried.samples >= samples_to_know && tried.smoothed >= well_above * other.smoothed;
    const std::string found = path_text(slow_, paths[slow_]) + " carries " + rate_text(tried.smoothed) +
                              ", the other path " + rate_text(other.smoothed);
    if (well) return go_home(share, now, found);
    patience_ = std::min(2 * patience_, longest_patience);
    retry_at_ = now + patience_;
    return go(State::moved, share, without(slow_), now, found);
}

}  // namespace divisi::control::inline policy
