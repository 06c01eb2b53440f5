// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "backend/base/clock.h"
#include "backend/mesh/base/topology.h"

namespace divisi::mesh::inline route {

/// A link that refused flows is avoided for so long at first, since most devices that die are started again and dialled
/// within a few tenths of a second; then twice as long each time, up to the longest.
inline constexpr Duration first_avoidance = std::chrono::milliseconds(250);
inline constexpr Duration longest_avoidance = std::chrono::seconds(5);
/// A link that is tried again refuses within this time, or has a way on: a PATH and its PathErr take round trips.
inline constexpr Duration longest_trial = std::chrono::seconds(1);

/// At a gateway: links over which its flows found no way on (PathErr). Each is avoided, then tried again by whatever
/// flow it suits, and avoided for longer where it refuses again: a device that is back soon is used again soon, and one
/// that remains away is tried every few seconds. `now` never goes back.
class AvoidedLinks {
public:
    /// It refused a flow. While it is avoided nothing is asked of it, so further refusals answer earlier questions and
    /// change nothing: a link that refuses a thousand flows at once has refused once.
    void refused(LinkKey link, TimePoint now);
    /// Something has come through by the whole path. The next refusal of a link on it is a first one again, unless the
    /// link has refused since it was tried.
    void passed(const Path& path);
    /// Comes several times a second. True where a link may be tried from now on. One that was not refused for the
    /// longest avoidance since it may be tried is forgotten.
    bool tick(TimePoint now);
    /// Forgets links that the topology does not have.
    void keep_only(const Topology& topology);

    /// Adds those that are avoided now.
    void add_to(Avoid& avoid) const;
    /// Whether a link of the path is avoided, or is tried, and nothing has come through by it yet.
    bool doubts(const Path& path, TimePoint now) const;

private:
    struct Refusal {
        Duration length{};
        TimePoint until{};
        bool avoided = true;  ///< until a tick ends it, so that nobody finds another way than the tick before
    };

    std::map<LinkKey, Refusal> links_;
};

}  // namespace divisi::mesh::inline route
