// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "agents/module/window.h"
#include "backend/control/types/module_types.h"

namespace divisi::module {

/// One of the two paths from a gateway to another, over the last periods.
struct PathWindows {
    std::vector<std::string> devices;  ///< from end to end
    Window rate;     ///< bytes a second that came through while it was busy; a gap where it hardly was
    Window busy;     ///< share of the time in which a chunk waited for it or was on it
    Window latency;  ///< seconds from a chunk's going to its freeing, median
};
struct RouteWindows {
    std::string from, to;
    std::int64_t share = 100;  ///< percent of the tensors that go by the first path
    std::array<PathWindows, 2> paths;
    std::set<std::pair<Sid, Sid>> flows;  ///< that go there now
    Window compute;                       ///< share of the time in which the busiest instance of them computes
    bool shared = false;                  ///< flows of tasks for which the module is off go there too
};
/// One way of a link.
struct LinkWindows {
    Window rate, busy, latency;
};

/// Which device has a link with which, as a matrix over `names`.
struct Adjacency {
    std::vector<std::string> names;
    std::vector<std::vector<bool>> linked;
};
Adjacency adjacency(const std::vector<control::ObservedDevice>& devices);

/// What a module looks at: windows over what it has observed, and the last observation whole.
class Features {
public:
    /// Once a period. What is no longer observed is forgotten.
    void take(const control::Observe& observed);
    /// Tasks for which the module is off: their flows are in no window.
    void leave_out(const std::vector<TaskId>& tasks) { left_out_ = {tasks.begin(), tasks.end()}; }

    using Ends = std::pair<std::string, std::string>;
    const std::map<Ends, RouteWindows>& routes() const { return routes_; }
    const std::map<Ends, LinkWindows>& links() const { return links_; }
    const control::Observation& seen() const { return seen_; }
    TimePoint time() const { return time_; }
    /// A task waits to be placed, and the answer counts within control::sync_answer.
    bool placing() const { return placing_; }

private:
    void take_routes();
    void take_links();

    std::map<Ends, RouteWindows> routes_;
    std::map<Ends, LinkWindows> links_;
    control::Observation seen_;
    TimePoint time_{};
    bool placing_ = false;
    std::set<TaskId> left_out_;
};

/// Below that a second says little about a rate: some chunks that came one by one.
inline constexpr double least_busy_to_measure = 0.05;

}  // namespace divisi::module
