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

/// Window for averaging traffic. Traffic comes in bursts, one per micro-batch, so a shorter window would flicker.
inline constexpr Duration traffic_window = std::chrono::seconds(2);

/// The figures of one direction of a link, as its sender reports them.
struct LaneFigures {
    /// over the sender's reports of the last traffic_window; none: fewer than two reports
    std::optional<double> bytes_per_s;
    std::uint64_t sent = 0, queued = 0, credit = 0;
    std::uint64_t most_credit = 0;  ///< highest credit since the console began watching
    bool usable = false;
};

/// Derives traffic and ages from successive states of the mesh. Devices report at their own pace, so traffic is the
/// difference between reports, not between the answers that carry them.
class MeshWatch {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// `now` is when the state arrived.
    void take(control::MeshState mesh, Time now);
    /// Moves all reception times later by `by`, so that ages shrink. A time that would then be after `now`, as after a
    /// jump back in a recording, becomes unknown until the next state of the mesh.
    void shift(Time::duration by, Time now);

    const control::MeshState& mesh() const { return mesh_; }
    /// Returns the device of this name; null if there is none (any more).
    const control::DeviceView* device(const std::string& name) const;
    /// Returns the device's name; empty if there is none.
    const std::string& name_of(std::uint32_t id) const;
    /// Returns when the device last reported, by this process's clock, whatever the orchestrator's clock says. Accurate
    /// to the interval of reports: the newest report of a device that is up counts as received with the answer that
    /// carries it. Empty if unknown, because no device has been up yet.
    std::optional<Time> heard(const std::string& name) const;
    /// Returns the fault injected into a link; null if there is none.
    const control::LinkFault* fault(const std::string& a, const std::string& b) const;
    /// Returns the figures of a lane; null if the sender has not reported it.
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
        std::deque<Sent> sent;  ///< reports of the sender's current process, back to traffic_window
    };
    void take_lanes(const control::DeviceView& device, bool same_process);
    void set_clocks(Time now);
    std::optional<Time> by_our_clock(TimePoint report, Time now) const;

    control::MeshState mesh_;
    /// One moment by the orchestrator's clock and by this process's clock.
    std::optional<std::pair<TimePoint, Time>> clocks_;
    std::map<std::uint32_t, std::string> names_;
    std::map<std::string, std::size_t> index_;  ///< index of a device in mesh_, by name
    std::map<std::string, Last> last_;
    std::map<std::string, std::map<std::string, Lane>> lanes_;  ///< by sender and receiver
};

}  // namespace divisi::topology
