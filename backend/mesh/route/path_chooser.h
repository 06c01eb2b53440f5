// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "backend/base/clock.h"
#include "backend/mesh/base/topology.h"

namespace divisi::mesh::inline route {

/// A flow changes to another path only if that path takes at most this share of the current path's time.
inline constexpr double worthwhile_share = 0.8;
/// Number of consecutive reports in which another path must be better by that share before the flow changes.
inline constexpr int reports_to_switch = 2;
/// Limit on the devices, and on the links, that a flow can be told to avoid.
inline constexpr std::size_t most_avoided = 1024;

/// Chooses the two paths of one flow. Hysteresis keeps the flow on its path unless that path is gone or another path is
/// clearly faster. Hysteresis is needed because every change moves credit and disturbs the order of chunks.
class PathChooser {
public:
    PathChooser(RoutingId from, RoutingId to) : from_(from), to_(to) {}

    /// Records the advice to avoid a device or link until `until`; later advice about the same device or link replaces
    /// it. Advice that would leave no path is ignored. Fails with `exhausted` beyond most_avoided.
    Result<void> avoid(RoutingId device, TimePoint until);
    Result<void> avoid(LinkKey link, TimePoint until);

    /// Chooses by the figures of a new report; returns true if the paths have changed. `now` must never decrease.
    bool report(const Topology& topology, TimePoint now);
    /// Returns the paths; none before the first report, or if no path exists.
    const std::optional<Paths>& paths() const { return paths_; }

private:
    Avoid avoided(TimePoint now);
    Paths choose(const Topology& topology, const Avoid& avoid, Paths best);

    RoutingId from_, to_;
    std::map<RoutingId, TimePoint> devices_;
    std::map<LinkKey, TimePoint> links_;
    std::optional<Paths> paths_;
    int better_ = 0;  ///< consecutive reports in which a change would have been worthwhile
};

}  // namespace divisi::mesh::inline route
