// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/base/clock.h"

namespace divisi::ctl {

/// What a command does while its orchestrator is away: waits, says so once, and gives up only where it was told when.
class Outage {
public:
    /// `patience`: how long it waits; none: for ever.
    explicit Outage(std::optional<Duration> patience) : patience_(patience) {}

    void lost(TimePoint now, const std::string& why);
    /// A line for people where one said that it waits, else nothing.
    std::string back(TimePoint now);
    /// A line for people, once it takes longer than a restart does.
    std::string waits(TimePoint now);
    bool away() const { return since_.has_value(); }
    bool over(TimePoint now) const { return since_ && patience_ && now - *since_ >= *patience_; }

private:
    std::optional<Duration> patience_;
    std::optional<TimePoint> since_;
    std::string why_;
    bool told_ = false;
};

/// A dead orchestrator that is restarted is back before this.
inline constexpr Duration short_outage = std::chrono::seconds(3);

}  // namespace divisi::ctl
