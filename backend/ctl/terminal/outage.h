// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/base/clock.h"

namespace divisi::ctl {

/// Tracks an outage of the orchestrator for a command that waits: reports the wait once, and gives up after a limit if
/// one is set.
class Outage {
public:
    /// `patience`: how long to wait; none: without limit.
    explicit Outage(std::optional<Duration> patience) : patience_(patience) {}

    void lost(TimePoint now, const std::string& why);
    /// Ends the outage. Returns a line for people if the wait was reported, otherwise an empty text.
    std::string back(TimePoint now);
    /// Returns a line for people when the outage lasts longer than a restart takes. Returns this line only once.
    std::string waits(TimePoint now);
    bool away() const { return since_.has_value(); }
    bool over(TimePoint now) const { return since_ && patience_ && now - *since_ >= *patience_; }

private:
    std::optional<Duration> patience_;
    std::optional<TimePoint> since_;
    std::string why_;
    bool told_ = false;
};

/// A crashed orchestrator that is restarted is usually back within this time.
inline constexpr Duration short_outage = std::chrono::seconds(3);

}  // namespace divisi::ctl
