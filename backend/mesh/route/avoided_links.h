// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "backend/base/clock.h"
#include "backend/mesh/base/topology.h"

namespace divisi::mesh::inline route {

/// Time for which a link that refused flows is avoided. The time is short at first, because most devices that die are
/// restarted and connected within a few tenths of a second. The time doubles with each refusal, up to the longest.
inline constexpr Duration first_avoidance = std::chrono::milliseconds(250);
inline constexpr Duration longest_avoidance = std::chrono::seconds(5);
/// Time after which a retried link that has not refused again counts as usable. It allows for the round trips of a PATH
/// and its PathErr.
inline constexpr Duration longest_trial = std::chrono::seconds(1);

/// A gateway's record of the links over which its flows found no path (PathErr). Each such link is avoided, then
/// retried by any flow whose path contains the link, and avoided for longer if it refuses again. A device that returns
/// soon is used again soon; a device that stays away is retried every few seconds. `now` must never decrease.
class AvoidedLinks {
public:
    /// Records that a link refused a flow. Refusals of a link that is already avoided change nothing, because they
    /// answer earlier requests: a link that refuses a thousand flows at once counts as one refusal.
    void refused(LinkKey link, TimePoint now);
    /// Records that a chunk has passed the whole path. Links on the path that are not avoided start again with the
    /// first avoidance time.
    void passed(const Path& path);
    /// Ends avoidances that are due; returns whether a link may be retried now. Called several times a second. Forgets
    /// links that have not refused for longest_avoidance since their retry.
    bool tick(TimePoint now);
    /// Forgets links that are not in the topology.
    void keep_only(const Topology& topology);

    /// Adds the links that are avoided now.
    void add_to(Avoid& avoid) const;
    /// Returns whether a link of the path is avoided, or was retried less than longest_trial ago and not passed since.
    bool doubts(const Path& path, TimePoint now) const;

private:
    struct Refusal {
        Duration length{};
        TimePoint until{};
        bool avoided = true;  ///< whether the link is avoided; only tick() sets this to false, so that paths change
                              ///< only at ticks
    };

    std::map<LinkKey, Refusal> links_;
};

}  // namespace divisi::mesh::inline route
