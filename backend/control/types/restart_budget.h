// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>

#include "backend/base/clock.h"

namespace divisi::control::inline types {

/// How often a thing that dies is started again.
struct RestartBounds {
    std::size_t most = 0;  ///< within the window
    Duration window{};
};
/// Of one data instance. One that dies of what it reads dies each time, within a second or two; a person looks at what
/// has died three times.
inline constexpr RestartBounds data_restarts{3, std::chrono::seconds(60)};
/// Of one SID's faults that its task recovers from in place: three within ten minutes are no passing trouble, and the
/// node is held to be at fault.
inline constexpr RestartBounds recoveries_in_place{3, std::chrono::minutes(10)};
/// Of a task's standbys together. Those that die idle die of their program or their machine.
inline constexpr RestartBounds standby_deaths{3, std::chrono::minutes(10)};

/// Recoveries in a row that came no further than those before: whoever fails so often at one step fails there always.
inline constexpr std::size_t most_fruitless = 8;

/// Counts the restarts of one thing. Times are lived (LivedTime).
class RestartBudget {
public:
    explicit RestartBudget(RestartBounds bounds) : bounds_(bounds) {}

    /// Whether all of the window's are used up.
    bool spent(TimePoint now) {
        while (!restarts_.empty() && restarts_.front() + bounds_.window <= now) restarts_.pop_front();
        return restarts_.size() >= bounds_.most;
    }
    void count(TimePoint now) { restarts_.push_back(now); }

private:
    RestartBounds bounds_;
    std::deque<TimePoint> restarts_;  ///< of the last window, ascending; at most `most`
};

}  // namespace divisi::control::inline types
