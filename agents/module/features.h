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

/// Measurements of one of the two paths between two gateways, over the last periods.
struct PathWindows {
    std::vector<std::string> devices;  ///< from one gateway to the other
    Window rate;                       ///< bytes per second while it was busy; a gap if it hardly was
    Window busy;     ///< fraction of time in which a chunk waited for the path or was in transit on it
    Window latency;  ///< median seconds from sending a chunk to its release
};
struct RouteWindows {
    std::string from, to;
    std::int64_t share = 100;  ///< percent of the tensors on the first path
    std::array<PathWindows, 2> paths;
    std::set<std::pair<Sid, Sid>> flows;  ///< current flows on this route
    Window compute;                       ///< fraction of time in which the busiest instance of these flows computes
    bool shared = false;                  ///< flows of tasks for which the module is off use the route too
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
    /// Adds an observation; called once a period. Forgets what is no longer observed.
    void take(const control::Observe& observed);
    /// Sets the tasks for which the module is off; windows leave out their flows.
    void leave_out(const std::vector<TaskId>& tasks) { left_out_ = {tasks.begin(), tasks.end()}; }

    using Ends = std::pair<std::string, std::string>;
    const std::map<Ends, RouteWindows>& routes() const { return routes_; }
    const std::map<Ends, LinkWindows>& links() const { return links_; }
    const control::Observation& seen() const { return seen_; }
    TimePoint time() const { return time_; }
    /// Returns whether a task waits for placement. An answer then counts only within control::sync_answer.
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

/// Busy fraction of a second below which a rate is unreliable: it comes from a few single chunks.
inline constexpr double least_busy_to_measure = 0.05;

}  // namespace divisi::module
