// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend/control/protocol/message_fwd.h"

namespace divisi::control::inline protocol {

/// Returns the change that turns `before` into `after`. Returns none if devices or links were removed or changed: the
/// whole table must then be sent.
std::optional<MeshChange> change_between(const MeshTable& before, const MeshTable& after);
/// Applies the change. Returns false, and changes nothing, if the change does not begin at the table's revision.
bool apply(MeshTable& table, const MeshChange& change);
/// Describes an advertisement for clients that show the signaling: its revision, then a line for each SID with its
/// health, MIC and gateway. Describes at most `most_described` SIDs. `table` has the names of the devices.
std::string describe(const MeshTable& table);
std::string describe(const MeshChange& change, const MeshTable& table);
inline constexpr std::size_t most_described = 32;

}  // namespace divisi::control::inline protocol
