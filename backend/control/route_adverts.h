// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>

#include "backend/control/desk.h"

namespace divisi::control {

/// What brings who has `before` to `after`. None where devices or links have gone or changed: that takes the whole
/// table.
std::optional<MeshChange> change_between(const MeshTable& before, const MeshTable& after);
/// False, and nothing done, where the change does not begin at the table's revision.
bool apply(MeshTable& table, const MeshChange& change);

/// Service route advertisement (signaling type 2): who follows is told what has changed, whoever has just come or does
/// not follow gets the whole table. What is told keeps the orchestrator busy for a part of the time only, so that many
/// changes at once to a large mesh are told together.
class RouteAdverts {
public:
    /// No table before.
    TimePoint free_at() const { return free_at_; }
    /// To all of `devices` by their connections.
    void send(Desk& desk, MeshTable table, const std::vector<PeerId>& devices);
    /// A device has the table of `revision`; one that falls behind is told the whole.
    void heard(Desk& desk, PeerId device, std::uint64_t revision);
    /// What it had is unknown.
    void forget(PeerId device) { told_.erase(device); }

private:
    struct Told {
        std::uint64_t sent = 0, applied = 0;
        TimePoint behind_since{};  ///< where it has applied less than was sent
    };
    void send_whole(Desk& desk, PeerId device);

    MeshTable table_;  ///< that was sent last
    std::map<PeerId, Told> told_;
    TimePoint free_at_{};
};

}  // namespace divisi::control
