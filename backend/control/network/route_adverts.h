// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "backend/control/core/orchestrator_context.h"
#include "backend/control/protocol/mesh_messages.h"

namespace divisi::control::inline network {

/// Each device gets the whole table every 30 s, even if the table is unchanged, as the specification MESH.md requires.
/// The interval is longer if sending the table every 30 s would take a larger share of the time than `most_for_whole`.
inline constexpr Duration whole_interval = std::chrono::seconds(30);
inline constexpr double most_for_whole = 0.05;

/// Sends service route advertisements (signaling type 2). Every device gets the whole table once each whole_interval.
/// Otherwise a device gets only changes, unless it is new or has fallen behind: then it also gets the whole table.
///
/// Sending takes only a limited share of the orchestrator's time. In a large mesh, many changes are therefore sent
/// together.
class RouteAdverts {
public:
    /// Returns the earliest time to send the next table.
    TimePoint free_at() const { return free_at_; }
    /// Sends the table, or its change, to all `devices`.
    void send(OrchestratorContext& context, MeshTable table, const std::vector<PeerId>& devices);
    /// Records that a device has the table of `revision`. A device that has fallen behind gets the whole table.
    void heard(OrchestratorContext& context, PeerId device, std::uint64_t revision);
    /// Forgets which table the device has.
    void forget(PeerId device);
    /// Returns when the next device must get the whole table again.
    std::optional<TimePoint> whole_due() const;
    /// Sends the whole table to the devices that are due.
    void repeat(OrchestratorContext& context);
    /// Describes an advertisement that was sent, and names its receiver (none: several devices).
    struct Said {
        std::optional<PeerId> to;
        std::string text;
    };
    std::vector<Said> take_said() { return std::exchange(said_, {}); }

private:
    struct Told {
        std::uint64_t sent = 0, applied = 0;
        TimePoint behind_since{};  ///< time since which the device has not applied everything that was sent
        TimePoint whole_at{};      ///< time of the device's next whole table
    };
    void send_whole(OrchestratorContext& context, PeerId device);
    Duration between_whole() const;

    MeshTable table_;  ///< the table sent last
    std::map<PeerId, Told> told_;
    std::set<std::pair<TimePoint, PeerId>> whole_;  ///< devices in `told_`, sorted by Told::whole_at
    PeerId last_whole_{};                           ///< device that got the whole table last
    std::vector<Said> said_;
    TimePoint free_at_{};
};

}  // namespace divisi::control::inline network
