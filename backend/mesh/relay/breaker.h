// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "backend/base/clock.h"
#include "backend/mesh/base/device.h"

namespace divisi::mesh::inline relay {

/// Outlier ejection: which neighbour counts as one that fails too often, and for how long it is left alone.
struct BreakerConfig {
    int failures = 3;  ///< within the window they open it
    Duration window = std::chrono::seconds(30);
    Duration shortest = std::chrono::seconds(5);  ///< open for so long at first, then twice as long each time,
    Duration longest = std::chrono::minutes(5);   ///< up to this
    int successes = 3;                            ///< in a row, of the one flow that tries, close it again
};

/// A circuit breaker in front of a neighbour. One that fails again and again is left alone for a while (open), then
/// tried by one flow (half open), and used again when that one gets through. `now` never goes back.
class Breaker {
public:
    enum class State : std::uint8_t { closed, open, half_open };

    explicit Breaker(BreakerConfig config = {}) : config_(config) {}

    /// From the next failure on. For how long it is open now stands.
    void set(const BreakerConfig& config) { config_ = config; }

    /// True where it opens now.
    bool failed(TimePoint now);
    /// Of the flow that tries it. True where it closes now.
    bool succeeded(const FlowKey& flow, TimePoint now);
    /// Comes several times a second. True where it becomes half open now, so that a flow may try, or closes since
    /// nothing went wrong for a window: the flow that tries may have nothing to send.
    bool tick(TimePoint now);
    /// Whether the flow may go by the neighbour; half open, the first that asks becomes the one that tries.
    bool admits(const FlowKey& flow);
    /// The flow has gone or takes another way; another one may try.
    void let_go(const FlowKey& flow);

    State state() const { return state_; }
    const std::optional<FlowKey>& trying() const { return trying_; }
    /// While it is open.
    TimePoint until() const { return until_; }

private:
    bool open(TimePoint now);
    void close(TimePoint now);

    BreakerConfig config_;
    State state_ = State::closed;
    std::deque<TimePoint> failures_;  ///< within the window
    int opened_ = 0;                  ///< times in a row
    int successes_ = 0;
    std::optional<FlowKey> trying_;
    TimePoint until_{}, half_open_{}, closed_{};
};

}  // namespace divisi::mesh::inline relay
