// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "backend/control/protocol/message.h"

namespace divisi::topology {

/// Traffic comes in bursts, one a micro-batch: shorter differences would flicker.
inline constexpr Duration traffic_window = std::chrono::seconds(2);

/// One direction of a link, as its sender reports it.
struct LaneFigures {
    std::optional<double>
        bytes_per_s;  ///< over its sender's reports of the last traffic_window; none: there are no two
    std::uint64_t sent = 0, queued = 0, credit = 0;
    std::uint64_t most_credit = 0;  ///< that it had since the console looks
    bool usable = false;
};

/// What successive states of the mesh tell: traffic, as the difference of two, and ages. Devices report at their own
/// pace, so differences are taken between reports, not between the answers that carry them.
class MeshWatch {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// `now`: when it came.
    void take(control::MeshState mesh, Time now);
    /// Moves all that was heard so far later by this, so that ages are as much less. What would then have been heard
    /// after `now`, as after a jump back in a recording, is not known until the next state of the mesh.
    void shift(Time::duration by, Time now);

    const control::MeshState& mesh() const { return mesh_; }
    /// By name; null where there is none, or none any more.
    const control::DeviceView* device(const std::string& name) const;
    /// Empty where there is none.
    const std::string& name_of(std::uint32_t id) const;
    /// When the device last reported, by this process's clock. Exact to the pace of reports, whatever the
    /// orchestrator's clock says: the newest report of a device that is up is taken to have come with its answer. None
    /// where it is not known, since no device was up as long as this looks.
    std::optional<Time> heard(const std::string& name) const;
    /// What was made of a link on purpose; null: nothing.
    const control::LinkFault* fault(const std::string& a, const std::string& b) const;
    /// Null where the sender has not reported it.
    const LaneFigures* lane(const std::string& from, const std::string& to) const;

private:
    struct Last {
        TimePoint report{};
        std::optional<Time> heard;
        std::int64_t pid = 0;
    };
    struct Sent {
        TimePoint report{};
        std::uint64_t bytes = 0;
    };
    struct Lane {
        LaneFigures figures;
        std::deque<Sent> sent;  ///< of this process of its sender: the last reports, as far back as traffic_window
    };
    void take_lanes(const control::DeviceView& device, bool same_process);
    void set_clocks(Time now);
    std::optional<Time> by_our_clock(TimePoint report, Time now) const;

    control::MeshState mesh_;
    /// The same moment by the orchestrator's clock and by ours.
    std::optional<std::pair<TimePoint, Time>> clocks_;
    std::map<std::uint32_t, std::string> names_;
    std::map<std::string, std::size_t> index_;  ///< of a device in mesh_, by name
    std::map<std::string, Last> last_;
    std::map<std::string, std::map<std::string, Lane>> lanes_;  ///< by sender and receiver
};

}  // namespace divisi::topology
