// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "backend/base/clock.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline forwarding {

/// Outlier ejection: the failure rate at which a neighbour is ejected, and the time for which it is not used.
struct BreakerConfig {
    int failures = 3;  ///< number of failures within the window that open the breaker
    Duration window = std::chrono::seconds(30);
    Duration shortest = std::chrono::seconds(5);  ///< time for which the breaker is open at first; doubles with each
                                                  ///< further opening
    Duration longest = std::chrono::minutes(5);   ///< upper limit of that time
    int successes = 3;                            ///< consecutive successes of the trying flow that close the breaker
};

/// A circuit breaker in front of a neighbour. After repeated failures the neighbour is not used for a while (open),
/// then tried by one flow (half open). The neighbour is used again when that flow succeeds. `now` must never decrease.
class Breaker {
public:
    enum class State : std::uint8_t { closed, open, half_open };

    explicit Breaker(BreakerConfig config = {}) : config_(config) {}

    /// Sets the configuration from the next failure on; the current open time does not change.
    void set(const BreakerConfig& config) { config_ = config; }

    /// Records a failure; returns true if the breaker opens now.
    bool failed(TimePoint now);
    /// Records a success of the trying flow; returns true if the breaker closes now.
    bool succeeded(const FlowKey& flow, TimePoint now);
    /// Advances the state; called several times a second. Returns true if the breaker becomes half open, so that one
    /// flow may try the neighbour. Also returns true if the breaker closes after a window without failures. This is
    /// needed because the trying flow may have nothing to send.
    bool tick(TimePoint now);
    /// Returns whether the flow may use the neighbour. If the breaker is half open, the first flow that asks becomes
    /// the trying flow.
    bool admits(const FlowKey& flow);
    /// Lets another flow try, because this flow has ended or taken another path.
    void let_go(const FlowKey& flow);

    State state() const { return state_; }
    const std::optional<FlowKey>& trying() const { return trying_; }
    /// Returns when the breaker becomes half open; valid only while it is open.
    TimePoint until() const { return until_; }

private:
    bool open(TimePoint now);
    void close(TimePoint now);

    BreakerConfig config_;
    State state_ = State::closed;
    std::deque<TimePoint> failures_;  ///< times of failures within the window
    int opened_ = 0;                  ///< number of openings in a row, for the doubling
    int successes_ = 0;
    std::optional<FlowKey> trying_;
    TimePoint until_{}, half_open_{}, closed_{};
};

}  // namespace divisi::mesh::inline forwarding
