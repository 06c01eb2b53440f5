// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>

#include "backend/base/clock.h"

namespace divisi::control::inline types {

/// Limits the number of restarts after failures.
struct RestartBounds {
    std::size_t most = 0;  ///< maximum number of restarts within the window
    Duration window{};
};
/// Limit for one data instance. If the input makes one instance crash, the next instance crashes within a second or
/// two. After three deaths, an operator must look for the cause.
inline constexpr RestartBounds data_restarts{3, std::chrono::seconds(60)};
/// Limit for recoveries of one SID on the same node. Three faults within ten minutes are not transient, so the node is
/// considered faulty.
inline constexpr RestartBounds recoveries_in_place{3, std::chrono::minutes(10)};
/// Limit for all standbys of a task together. If an idle standby dies, the cause is its program or its machine.
inline constexpr RestartBounds standby_deaths{3, std::chrono::minutes(10)};

/// Maximum number of consecutive recoveries without progress. A task that fails so often at one step would always fail
/// at that step.
inline constexpr std::size_t most_fruitless = 8;

/// Counts restarts against a limit. Times are in lived time (LivedTime).
class RestartBudget {
public:
    explicit RestartBudget(RestartBounds bounds) : bounds_(bounds) {}

    /// Returns whether all restarts of the window are used up.
    bool spent(TimePoint now) {
        while (!restarts_.empty() && restarts_.front() + bounds_.window <= now) restarts_.pop_front();
        return restarts_.size() >= bounds_.most;
    }
    void count(TimePoint now) { restarts_.push_back(now); }

private:
    RestartBounds bounds_;
    std::deque<TimePoint> restarts_;  ///< restarts within the last window, ascending; at most `most`
};

}  // namespace divisi::control::inline types
