// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "backend/control/core/desk.h"
#include "backend/control/protocol/mesh_changes.h"

namespace divisi::control::inline network {

/// MESH.md: each device gets the whole table every 30 s, whether it has changed or not. Where that would take more of
/// the time than `most_for_whole`, less often.
inline constexpr Duration whole_interval = std::chrono::seconds(30);
inline constexpr double most_for_whole = 0.05;

/// Service route advertisement (signaling type 2): who follows is told what has changed, whoever has just come or does
/// not follow gets the whole table, and everybody every whole_interval. What is told keeps the orchestrator busy for a
/// part of the time only, so that many changes at once to a large mesh are told together.
class RouteAdverts {
public:
    /// No table before.
    TimePoint free_at() const { return free_at_; }
    /// To all of `devices` by their connections.
    void send(Desk& desk, MeshTable table, const std::vector<PeerId>& devices);
    /// A device has the table of `revision`; one that falls behind is told the whole.
    void heard(Desk& desk, PeerId device, std::uint64_t revision);
    /// What it had is unknown.
    void forget(PeerId device);
    /// When the next device is to get the whole table again.
    std::optional<TimePoint> whole_due() const;
    /// Gives it to those that are due.
    void repeat(Desk& desk);
    /// What was sent, and to whom (none: to all), since the last call.
    struct Said {
        std::optional<PeerId> to;
        std::string text;
    };
    std::vector<Said> take_said() { return std::exchange(said_, {}); }

private:
    struct Told {
        std::uint64_t sent = 0, applied = 0;
        TimePoint behind_since{};  ///< where it has applied less than was sent
        TimePoint whole_at{};      ///< the next whole table
    };
    void send_whole(Desk& desk, PeerId device);
    Duration between_whole() const;

    MeshTable table_;  ///< that was sent last
    std::map<PeerId, Told> told_;
    std::set<std::pair<TimePoint, PeerId>> whole_;  ///< those in `told_`, by their Told::whole_at
    PeerId last_whole_{};                           ///< who got it last
    std::vector<Said> said_;
    TimePoint free_at_{};
};

}  // namespace divisi::control::inline network
