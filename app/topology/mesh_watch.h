// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "backend/control/protocol/mesh_messages.h"

namespace divisi::topology {

/// Time over which traffic is averaged. Traffic comes in bursts, one per micro-batch, so averages over a shorter time
/// would fluctuate.
inline constexpr Duration traffic_window = std::chrono::seconds(2);

/// The figures of one direction of a link, as its sender reports them.
struct LaneFigures {
    /// average over the sender's reports in the last traffic_window; none: there are fewer than two reports
    std::optional<double> bytes_per_s;
    std::uint64_t sent = 0, queued = 0, credit = 0;
    std::uint64_t most_credit = 0;  ///< highest credit since the console began watching
    bool usable = false;
};

/// Computes traffic and ages from successive states of the mesh. Devices report at different times, so traffic is
/// computed from the times of two reports, not from the times of the answers that contain the reports.
class MeshWatch {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// `now` is the time at which the state arrived.
    void take(control::MeshState mesh, Time now);
    /// Adds `by` to all reception times, so that ages become smaller. A time that is then after `now`, as after a jump
    /// back in a recording, becomes unknown until the next state of the mesh.
    void shift(Time::duration by, Time now);

    const control::MeshState& mesh() const { return mesh_; }
    /// Returns the device with this name; null if there is no such device now.
    const control::DeviceView* device(const std::string& name) const;
    /// Returns the name of the device with this routing identifier; empty if there is no such device.
    const std::string& name_of(std::uint32_t id) const;
    /// Returns the time of the device's last report by this process's clock, independent of the orchestrator's clock.
    /// The time is exact up to the interval of reports, because the newest report of a device that is up counts as
    /// received with the answer that contains it. Empty if unknown, because no device has been up yet.
    std::optional<Time> heard(const std::string& name) const;
    /// Returns the fault injected into a link; null if there is no fault.
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
        std::deque<Sent> sent;  ///< reports of the sender's current process in the last traffic_window
    };
    void take_lanes(const control::DeviceView& device, bool same_process);
    void set_clocks(Time now);
    std::optional<Time> by_our_clock(TimePoint report, Time now) const;

    control::MeshState mesh_;
    /// The same point in time by the orchestrator's clock and by this process's clock.
    std::optional<std::pair<TimePoint, Time>> clocks_;
    std::map<std::uint32_t, std::string> names_;
    std::map<std::string, std::size_t> index_;  ///< index of each device in mesh_, by name
    std::map<std::string, Last> last_;
    std::map<std::string, std::map<std::string, Lane>> lanes_;  ///< lanes by sender and receiver
};

}  // namespace divisi::topology
