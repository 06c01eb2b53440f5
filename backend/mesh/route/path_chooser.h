// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "backend/base/clock.h"
#include "backend/mesh/base/topology.h"

namespace divisi::mesh::inline route {

/// A path that is in use is left for one that takes at most this share of its time.
inline constexpr double worthwhile_share = 0.8;
/// In so many reports in a row some path has to be that much better.
inline constexpr int reports_to_switch = 2;
/// Devices, and links, that one flow can be told to avoid.
inline constexpr std::size_t most_avoided = 1024;

/// The two paths of one flow. Hysteresis keeps it on its path unless that one is gone or a change pays, for every
/// change moves credit and disturbs the order of chunks.
class PathChooser {
public:
    PathChooser(RoutingId from, RoutingId to) : from_(from), to_(to) {}

    /// Advice, in force until `until`; later advice about the same replaces it. Where it would leave no path, it is
    /// not followed. `exhausted` beyond most_avoided.
    Result<void> avoid(RoutingId device, TimePoint until);
    Result<void> avoid(LinkKey link, TimePoint until);

    /// Looks at the figures of a new report; `now` never goes back. True where the paths are others than before.
    bool report(const Topology& topology, TimePoint now);
    /// None before the first report, and where there is no path.
    const std::optional<Paths>& paths() const { return paths_; }

private:
    Avoid avoided(TimePoint now);
    Paths choose(const Topology& topology, const Avoid& avoid, Paths best);

    RoutingId from_, to_;
    std::map<RoutingId, TimePoint> devices_;
    std::map<LinkKey, TimePoint> links_;
    std::optional<Paths> paths_;
    int better_ = 0;  ///< reports in a row in which a change would have paid
};

}  // namespace divisi::mesh::inline route
