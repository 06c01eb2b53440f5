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

/// Measurements of one of the two paths between two gateways, one value per period.
struct PathWindows {
    std::vector<std::string> devices;  ///< devices from one gateway to the other
    Window rate;     ///< bytes per second while the path was busy; periods in which the path was mostly idle have no
                     ///< value
    Window busy;     ///< share of time in which a chunk waited for the path or was in transit
    Window latency;  ///< median seconds from sending a chunk to its release
};
struct RouteWindows {
    std::string from, to;
    std::int64_t share = 100;  ///< percent of the tensors on the first path
    std::array<PathWindows, 2> paths;
    std::set<std::pair<Sid, Sid>> flows;  ///< current flows on this route
    Window compute;                       ///< fraction of time in which the busiest instance of these flows computes
    bool shared = false;                  ///< whether flows of tasks for which the module is off also use the route
};
/// Measurements of one direction of a link.
struct LinkWindows {
    Window rate, busy, latency;
};

/// The links between devices, as a matrix over `names`.
struct Adjacency {
    std::vector<std::string> names;
    std::vector<std::vector<bool>> linked;
};
Adjacency adjacency(const std::vector<control::ObservedDevice>& devices);

/// A module's input: windows over its observations, and the complete last observation.
class Features {
public:
    /// Adds an observation; called once a period and before each placement. An observation for a placement does not
    /// change the windows. Other observations remove the windows of paths and links that are no longer observed.
    void take(const control::Observe& observed);
    /// Sets the tasks for which the module is off; windows leave out the flows of these tasks.
    void leave_out(const std::vector<TaskId>& tasks) { left_out_ = {tasks.begin(), tasks.end()}; }

    using Ends = std::pair<std::string, std::string>;
    const std::map<Ends, RouteWindows>& routes() const { return routes_; }
    const std::map<Ends, LinkWindows>& links() const { return links_; }
    const control::Observation& seen() const { return seen_; }
    TimePoint time() const { return time_; }
    /// Returns whether a task waits for placement. The orchestrator then ignores advice that arrives later than
    /// control::sync_answer.
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

/// Busy fraction of a period below which a rate is unreliable, because it was measured from only a few chunks.
inline constexpr double least_busy_to_measure = 0.05;

}  // namespace divisi::module
